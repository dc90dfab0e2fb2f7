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

{{/* Its own settings before those of all; where nobody says where auth-service is, it is the one of this installation, which speaks plain HTTP. */}}
{{- define "tranche.settings" -}}
{{- $auth := .root.Values.services.auth -}}
{{- $settings := merge (dict) (.service.settings | default dict) .root.Values.settings -}}
{{- $isSet := or $settings.AUTH_SERVICE_URL $settings.AUTH_SERVICE_URL_FILE (dig "secretFiles" "AUTH_SERVICE_URL" "" .service) (dig "secretFiles" "AUTH_SERVICE_URL_FILE" "" .service) -}}
{{- if and (eq .service.app "payment-gateway") $auth.enabled (not $isSet) -}}
{{- $host := include "tranche.name" (dict "root" .root "name" "auth") -}}
{{- $_ := set $settings "AUTH_SERVICE_URL" (printf "http://%s:%d" $host (int $auth.port)) -}}
{{- $_ := set $settings "PLAINTEXT_HOSTS" (list $settings.PLAINTEXT_HOSTS $host | compact | join ",") -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end }}
