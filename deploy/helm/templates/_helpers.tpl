{{- define "carillon.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* Shorter than the 63 characters of a name, because the names of objects add up to 11. */}}
{{- define "carillon.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains (include "carillon.name" .) .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "carillon.name" .) | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "carillon.selectorLabels" -}}
app.kubernetes.io/name: {{ include "carillon.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "carillon.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "carillon.selectorLabels" . }}
{{- end }}

{{- define "carillon.databaseSecret" -}}
{{- if .Values.database.cloudNativePG.enabled -}}
name: {{ include "carillon.fullname" . }}-db-app
key: uri
{{- else if .Values.database.urlSecret.name -}}
name: {{ .Values.database.urlSecret.name }}
key: {{ .Values.database.urlSecret.key }}
{{- else -}}
name: {{ .Values.existingSecret }}
key: DATABASE_URL
{{- end }}
{{- end }}

{{- /* A Deployment, its HorizontalPodAutoscaler and its PodDisruptionBudget: (dict "root" $ "role" "api" "values" .Values.api) */}}
{{- define "carillon.workload" -}}
{{- $root := .root }}
{{- $values := $root.Values }}
{{- $name := printf "%s-%s" (include "carillon.fullname" $root) .role }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    {{- include "carillon.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  {{- if not .values.autoscaling.enabled }}
  replicas: {{ .values.replicas }}
  {{- end }}
  progressDeadlineSeconds: {{ $values.startupSeconds }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  selector:
    matchLabels:
      {{- include "carillon.selectorLabels" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
  template:
    metadata:
      labels:
        {{- include "carillon.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        checksum/config: {{ include "carillon.config" $root | sha256sum }}
        {{- with $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      {{- with $values.serviceAccountName }}
      serviceAccountName: {{ . }}
      {{- end }}
      {{- with $values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
      securityContext:
        {{- toYaml $values.podSecurityContext | nindent 8 }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "carillon.selectorLabels" $root | nindent 14 }}
              app.kubernetes.io/component: {{ .role }}
      containers:
        - name: carillon
          image: {{ printf "%s:%s" $values.image.repository (default $root.Chart.AppVersion $values.image.tag) | quote }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          env:
            - name: CARILLON_ROLES
              value: {{ .role }}
            {{- /* Named one by one: without them the pod must not start, on a database of its own. */}}
            - name: DATABASE_URL
              valueFrom:
                secretKeyRef:
                  {{- include "carillon.databaseSecret" $root | nindent 18 }}
            - name: CARILLON_ENCRYPTION_KEY
              valueFrom:
                secretKeyRef:
                  name: {{ $values.existingSecret }}
                  key: CARILLON_ENCRYPTION_KEY
            {{- with .smtp }}
            {{- if .enabled }}
            - name: CARILLON_SMTP_PORT
              value: "2525"
            {{- if .tlsSecret }}
            - name: CARILLON_SMTP_TLS_CERT
              value: /smtp-tls/tls.crt
            - name: CARILLON_SMTP_TLS_KEY
              value: /smtp-tls/tls.key
            {{- else }}
            - name: CARILLON_SMTP_PLAINTEXT
              value: all
            {{- end }}
            {{- end }}
            {{- end }}
            {{- with $values.extraEnv }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          envFrom:
            - configMapRef:
                name: {{ include "carillon.fullname" $root }}
            - secretRef:
                name: {{ $values.existingSecret }}
          ports:
            - name: http
              containerPort: 8400
            {{- with .smtp }}
            {{- if .enabled }}
            - name: smtp
              containerPort: 2525
            {{- end }}
            {{- end }}
          startupProbe:
            httpGet: {path: /healthz, port: http}
            periodSeconds: 2
            failureThreshold: {{ div $values.startupSeconds 2 }}
          livenessProbe:
            httpGet: {path: /healthz, port: http}
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: {path: /readyz, port: http}
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          lifecycle:
            preStop:
              exec:
                command: [sleep, {{ $values.preStopSeconds | quote }}]
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          securityContext:
            {{- toYaml $values.securityContext | nindent 12 }}
          volumeMounts:
            - name: data
              mountPath: /data
            - name: tmp
              mountPath: /tmp
            {{- with .smtp }}
            {{- if and .enabled .tlsSecret }}
            - name: smtp-tls
              mountPath: /smtp-tls
              readOnly: true
            {{- end }}
            {{- end }}
            {{- with $values.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        - name: data
          emptyDir: {}
        - name: tmp
          emptyDir: {}
        {{- with .smtp }}
        {{- if and .enabled .tlsSecret }}
        - name: smtp-tls
          secret:
            secretName: {{ .tlsSecret }}
        {{- end }}
        {{- end }}
        {{- with $values.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with .values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- if .values.autoscaling.enabled }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ $name }}
  labels:
    {{- include "carillon.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ $name }}
  minReplicas: {{ .values.autoscaling.minReplicas }}
  maxReplicas: {{ .values.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ .values.autoscaling.targetCPUUtilizationPercentage }}
{{- end }}
{{- if .values.podDisruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  labels:
    {{- include "carillon.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  maxUnavailable: {{ .values.podDisruptionBudget.maxUnavailable }}
  selector:
    matchLabels:
      {{- include "carillon.selectorLabels" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
{{- end }}
{{- end }}

{{- /* The settings that are not secret, as the data of a ConfigMap. */}}
{{- define "carillon.config" -}}
{{- if and .Values.ingress.enabled (not .Values.config.PUBLIC_URL) }}
PUBLIC_URL: {{ printf "%s://%s" (ternary "https" "http" (not (empty .Values.ingress.tlsSecret))) .Values.ingress.host | quote }}
{{- end }}
{{- range $name, $value := .Values.config }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}
