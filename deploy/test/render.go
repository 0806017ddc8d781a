// Renders the chart as Helm does, with Go's own templates: render CHART < context.json prints the output of each template as JSON.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/ghodss/yaml"
)

type files struct{ chart string }

func (f files) Get(name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(f.chart, name))
	return string(content), err
}

func render(chart string) (map[string]string, error) {
	var context map[string]interface{}
	if err := json.NewDecoder(os.Stdin).Decode(&context); err != nil {
		return nil, err
	}
	context["Files"] = files{chart}

	templates := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := templates.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		content, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(content), "\n"), err
	}
	if _, err := templates.Funcs(functions).ParseGlob(filepath.Join(chart, "templates", "*")); err != nil {
		return nil, err
	}

	rendered := map[string]string{}
	for _, each := range templates.Templates() {
		name := each.Name()
		if filepath.Ext(name) != ".yaml" && filepath.Ext(name) != ".txt" {
			continue
		}
		var out bytes.Buffer
		if err := templates.ExecuteTemplate(&out, name, context); err != nil {
			return nil, err
		}
		rendered[name] = out.String()
	}
	return rendered, nil
}

func main() {
	rendered, err := render(os.Args[1])
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(rendered)
}
