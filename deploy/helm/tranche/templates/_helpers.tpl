{{/* All names begin with it. A Service's name may have 63 characters, and `-gateway` comes after this. */}}
{{- define "tranche.fullname" -}}
{{- $name := list .Release.Name .Values.nameOverride | compact | join "-" -}}
{{- .Values.fullnameOverride | default $name | trunc 52 | trimSuffix "-" -}}
{{- end }}

{{- define "tranche.name" -}}
{{ include "tranche.fullname" .root }}-{{ .name }}
{{- end }}

{{- define "tranche.selector" -}}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .name | quote }}
{{- end }}

{{/* `labels` of the scope are those of this resource. Labels that a selector uses can't be replaced. */}}
{{- define "tranche.labels" -}}
{{- $labels := dict
  "app.kubernetes.io/name" (dig "app" "tranche" (.service | default dict))
  "app.kubernetes.io/instance" .root.Release.Name
  "app.kubernetes.io/part-of" "tranche"
  "app.kubernetes.io/version" .root.Chart.AppVersion
  "app.kubernetes.io/managed-by" .root.Release.Service
  "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version) -}}
{{- $fixed := ternary (include "tranche.selector" . | fromYaml) dict (hasKey . "name") -}}
{{- mergeOverwrite $labels (.root.Values.commonLabels | default dict) (.labels | default dict) $fixed | toYaml -}}
{{- end }}

{{/* (list SCOPE KEY): a value of all services, with that of this one: maps are merged key by key (null removes a key), lists are joined,
     a text is replaced. */}}
{{- define "tranche.value" -}}
{{- $all := get (first .).root.Values (last .) -}}
{{- $own := get (first .).service (last .) -}}
{{- $merged := $own | default $all -}}
{{- if kindIs "slice" $merged -}}
{{- $merged = concat ($all | default list) ($own | default list) -}}
{{- else if kindIs "map" $merged -}}
{{- $merged = dict -}}
{{- range list ($all | default dict) ($own | default dict) }}{{ range $key, $value := . -}}
{{- if kindIs "invalid" $value }}{{ $_ := unset $merged $key }}{{ else }}{{ $_ := set $merged $key $value }}{{ end -}}
{{- end }}{{ end -}}
{{- end -}}
{{- if $merged }}{{ toYaml $merged }}{{ end -}}
{{- end }}

{{/* Fields of every pod. */}}
{{- define "tranche.podFields" -}}
{{- $scope := . -}}
securityContext: {{- include "tranche.value" (list . "podSecurityContext") | nindent 2 }}
{{- range $key := list "imagePullSecrets" "nodeSelector" "tolerations" "affinity" "priorityClassName" }}
{{- with include "tranche.value" (list $scope $key) }}
{{ $key }}: {{- . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{- define "tranche.serviceAccountName" -}}
{{- $account := include "tranche.value" (list . "serviceAccount") | fromYaml -}}
{{- $account.name | default (ternary (include "tranche.name" .) "default" $account.create) -}}
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

{{/* Its own settings before those of all; where nobody says where auth-service or the gateway is, it is the one of this installation,
     which speaks plain HTTP. */}}
{{- define "tranche.settings" -}}
{{- $auth := .root.Values.services.auth -}}
{{- $settings := merge (dict) (.service.settings | default dict) .root.Values.settings -}}
{{- $isSet := or $settings.AUTH_SERVICE_URL $settings.AUTH_SERVICE_URL_FILE (dig "secretFiles" "AUTH_SERVICE_URL" "" .service) (dig "secretFiles" "AUTH_SERVICE_URL_FILE" "" .service) -}}
{{- if and (eq .service.app "payment-gateway") $auth.enabled (not $isSet) -}}
{{- $host := include "tranche.name" (dict "root" .root "name" "auth") -}}
{{- $_ := set $settings "AUTH_SERVICE_URL" (printf "http://%s:%d" $host (int $auth.port)) -}}
{{- $_ := set $settings "PLAINTEXT_HOSTS" (list $settings.PLAINTEXT_HOSTS $host | compact | join ",") -}}
{{- end -}}
{{- $gateway := .root.Values.services.gateway -}}
{{- $isSet = or $settings.GATEWAY_URL $settings.GATEWAY_URL_FILE (dig "secretFiles" "GATEWAY_URL" "" .service) (dig "secretFiles" "GATEWAY_URL_FILE" "" .service) -}}
{{- if and (eq .service.app "operations") $gateway.enabled (not $isSet) -}}
{{- $host := include "tranche.name" (dict "root" .root "name" "gateway") -}}
{{- $_ := set $settings "GATEWAY_URL" (printf "http://%s:%d" $host (int $gateway.managementPort)) -}}
{{- $_ := set $settings "PLAINTEXT_HOSTS" (list $settings.PLAINTEXT_HOSTS $host | compact | join ",") -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end }}

{{/* The files of /run/secrets/tranche: name → `secret` or `configMap`, and `key`. */}}
{{- define "tranche.files" -}}
{{- $files := dict -}}
{{- range $file, $from := include "tranche.value" (list . "extraSecretFiles") | fromYaml }}{{ $_ := set $files $file $from }}{{ end -}}
{{- range $setting, $from := .service.secretFiles }}{{ $_ := set $files $setting $from }}{{ end -}}
{{- if hasKey $files "MERCHANTS_FILE" }}{{ range $file, $from := .root.Values.merchantKeyFiles }}{{ $_ := set $files $file $from }}{{ end }}{{ end -}}
{{- if and .root.Values.merchants (hasKey $files "MERCHANTS_FILE") -}}
{{- $_ := set $files "MERCHANTS_FILE" (dict "configMap" (printf "%s-merchants" (include "tranche.fullname" .root)) "key" "merchants.json") -}}
{{- include "tranche.checkMerchants" (dict "name" .name "merchants" .root.Values.merchants "files" $files) -}}
{{- end -}}
{{- toYaml $files -}}
{{- end }}

{{/* Fails where a merchant names a file that the service does not have: the service would not start. */}}
{{- define "tranche.checkMerchants" -}}
{{- $scope := . -}}
{{- range $at, $merchant := .merchants -}}
{{- $entries := dict "" $merchant ".previousKeys" ($merchant.previousKeys | default dict) -}}
{{- range $index, $key := $merchant.apiKeys }}{{ $_ := set $entries (printf ".apiKeys[%d]" $index) $key }}{{ end -}}
{{- range $path, $entry := $entries }}{{ range $field, $file := $entry -}}
{{- if and (hasSuffix "File" $field) (not (hasKey $scope.files $file)) -}}
{{- fail (printf "merchants[%d]%s.%s (%s) names the file %s, which services.%s has not: add it to merchantKeyFiles" $at $path $field $merchant.merchant $file $scope.name) -}}
{{- end -}}
{{- end }}{{ end -}}
{{- end -}}
{{- end }}

{{/* (list ROOT NAME PATH): where a setting or a value may stand: that of the service that PATH names, else that of all services, else of each. */}}
{{- define "tranche.placesOf" -}}
{{- $all := get ((index . 0).Files.Get "files/places.json" | fromJson) (index . 1) | default list -}}
{{- $near := list -}}
{{- $shared := list -}}
{{- $service := regexFind "^services\\.[a-z]+\\." (index . 2) -}}
{{- range $all }}{{ if not (hasPrefix "services." .) }}{{ $shared = append $shared . }}{{ else if and $service (hasPrefix $service .) }}{{ $near = append $near . }}{{ end }}{{ end -}}
{{- $near | default $shared | default $all | join " or " -}}
{{- end }}

{{/* Fails if a setting or a value stands in a wrong place, and names the right ones, all faults at once. */}}
{{- define "tranche.checkPlaces" -}}
{{- $root := . -}}
{{- $given := dict "" .Values "settings." .Values.settings -}}
{{- range $name, $service := .Values.services -}}
{{- $path := printf "services.%s." $name -}}
{{- $_ := merge $given (dict $path $service (print $path "settings.") $service.settings (print $path "secretFiles.") $service.secretFiles) -}}
{{- end -}}
{{- $faults := list -}}
{{- range $path, $values := $given }}{{ range $key, $_ := $values -}}
{{- $places := include "tranche.placesOf" (list $root $key $path) -}}
{{- if not (has (print $path $key) (splitList " or " $places)) -}}
{{- $faults = append $faults (printf "%s%s: %s" $path $key (empty $places | ternary "the chart has no such setting (docs/reference/settings.md)" (print "set " $places))) -}}
{{- end -}}
{{- end }}{{ end -}}
{{- if $faults }}{{ fail (printf "values in a wrong place:\n%s" (join "\n" $faults)) }}{{ end -}}
{{- end }}
