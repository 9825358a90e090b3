{{- define "bowline.name" -}}
{{- if contains .Chart.Name .Release.Name -}}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{- end -}}
{{- end -}}

{{- define "bowline.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "bowline.labels" -}}
{{ include "bowline.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{/* A probe of HTTP, as any of the names that a server answers to. */}}
{{- define "bowline.health" -}}
httpGet:
  path: /healthcheck
  port: http
  scheme: {{ ternary "HTTPS" "HTTP" (ne .Values.tls.existingSecret "") }}
  httpHeaders: [{ name: Host, value: localhost }]
timeoutSeconds: 5
{{- end -}}
