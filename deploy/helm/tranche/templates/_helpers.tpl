{{- define "tranche.name" -}}
{{ .root.Release.Name }}-{{ .name }}
{{- end }}

{{- define "tranche.selector" -}}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .name | quote }}
{{- end }}

{{- define "tranche.labels" -}}
{{ include "tranche.selector" . }}
app.kubernetes.io/name: {{ .service.app | quote }}
app.kubernetes.io/part-of: tranche
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | quote }}
{{- end }}

{{- define "tranche.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}{{ $image.repository }}@{{ $image.digest }}
{{- else -}}{{ $image.repository }}:{{ $image.tag | default .Chart.AppVersion }}{{- end -}}
{{- end }}

{{/* preStop, the drain, and five seconds to write the last lines. */}}
{{- define "tranche.graceSeconds" -}}
{{- $settings := merge (dict) (.service.settings | default dict) .root.Values.settings -}}
{{- add .root.Values.preStopSeconds (div (int $settings.SHUTDOWN_TIMEOUT_MS) 1000) 5 -}}
{{- end }}
