{{/* First part of the names of all objects. */}}
{{- define "spatz.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "spatz.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels that pods are selected by; takes root and component. */}}
{{- define "spatz.selector" -}}
app.kubernetes.io/name: {{ include "spatz.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* All labels; takes root and component. */}}
{{- define "spatz.labels" -}}
{{ include "spatz.selector" . }}
app.kubernetes.io/part-of: spatz
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "spatz.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "spatz.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "spatz.image" -}}
{{- $tag := default .Chart.AppVersion .Values.image.tag -}}
{{- if .Values.image.digest -}}
{{- printf "%s:%s@%s" .Values.image.repository $tag .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository $tag -}}
{{- end -}}
{{- end -}}

{{/* Name of the Secret with the URL of Postgres. */}}
{{- define "spatz.postgresSecret" -}}
{{- if .Values.postgres.existingSecret.name -}}
{{- .Values.postgres.existingSecret.name -}}
{{- else if or .Values.postgres.url .Values.tryOut.postgres.enabled -}}
{{- include "spatz.fullname" . }}-postgres
{{- else -}}
{{- fail "expected postgres.existingSecret.name, postgres.url or tryOut.postgres.enabled" -}}
{{- end -}}
{{- end -}}

{{- define "spatz.redisSecret" -}}
{{- if .Values.redis.existingSecret.name -}}
{{- .Values.redis.existingSecret.name -}}
{{- else if or .Values.redis.url .Values.tryOut.redis.enabled -}}
{{- include "spatz.fullname" . }}-redis
{{- else -}}
{{- fail "expected redis.existingSecret.name, redis.url or tryOut.redis.enabled" -}}
{{- end -}}
{{- end -}}

{{- define "spatz.signingKeySecret" -}}
{{- if .Values.signingKey.existingSecret.name -}}
{{- .Values.signingKey.existingSecret.name -}}
{{- else if .Values.signingKey.generate -}}
{{- include "spatz.fullname" . }}-signing-key
{{- else -}}
{{- fail "expected signingKey.existingSecret.name, or signingKey.generate for trying out" -}}
{{- end -}}
{{- end -}}

{{/* Name that clients ask for, without scheme and port. */}}
{{- define "spatz.host" -}}
{{- (urlParse (required "expected publicUrl, such as https://cards.example" .Values.publicUrl)).hostname -}}
{{- end -}}

{{/* What is set in every container that runs the program; takes the root. */}}
{{- define "spatz.commonEnv" -}}
- name: SPATZ_LOG
  value: {{ .Values.log.level | quote }}
- name: SPATZ_LOG_FORMAT
  value: {{ .Values.log.format | quote }}
- name: SPATZ_WAIT_FOR_STORES
  value: {{ .Values.stores.waitSeconds | quote }}
{{- end -}}

{{/* What is set in the services beside that; takes the root. */}}
{{- define "spatz.telemetryEnv" -}}
{{- if .Values.telemetry.metrics }}
- name: SPATZ_METRICS_LISTEN
  value: "[::]:9090"
{{- end }}
{{- with .Values.telemetry.otlp.url }}
- name: SPATZ_OTLP_URL
  value: {{ . | quote }}
- name: SPATZ_TRACE_RATIO
  value: {{ $.Values.telemetry.otlp.ratio | quote }}
{{- end }}
{{- end -}}

{{- define "spatz.postgresEnv" -}}
- name: SPATZ_POSTGRES_URL
  valueFrom:
    secretKeyRef:
      name: {{ include "spatz.postgresSecret" . }}
      key: {{ if .Values.postgres.existingSecret.name }}{{ .Values.postgres.existingSecret.key }}{{ else }}url{{ end }}
{{- end -}}

{{- define "spatz.redisEnv" -}}
- name: SPATZ_REDIS_URL
  valueFrom:
    secretKeyRef:
      name: {{ include "spatz.redisSecret" . }}
      key: {{ if .Values.redis.existingSecret.name }}{{ .Values.redis.existingSecret.key }}{{ else }}url{{ end }}
- name: SPATZ_REDIS_PREFIX
  value: {{ .Values.redis.prefix | quote }}
{{- end -}}

{{/* How services are called. */}}
{{- define "spatz.scheme" -}}
{{- if .Values.tls.existingSecret }}https{{ else }}http{{ end -}}
{{- end -}}

{{/* Certificates of a service; takes the root. */}}
{{- define "spatz.tlsEnv" -}}
{{- if .Values.tls.existingSecret }}
- name: SPATZ_TLS_CERT
  value: /etc/spatz/tls/tls.crt
- name: SPATZ_TLS_KEY
  value: /etc/spatz/tls/tls.key
- name: SPATZ_TLS_CA
  value: /etc/spatz/tls/ca.crt
{{- end }}
{{- end -}}

{{/* Where a role finds files: mounts and volumes by name, as YAML; takes root and role. */}}
{{- define "spatz.files" -}}
{{- $root := .root -}}
{{- if eq .role "gateway" }}
keys:
  path: keys
  volume: {secret: {secretName: {{ include "spatz.signingKeySecret" $root }}, defaultMode: 0440}}
{{- end }}
{{- if and (eq .role "matchmaking") $root.Values.queues }}
queues:
  path: queues
  volume: {configMap: {name: {{ include "spatz.fullname" $root }}-queues}}
{{- end }}
{{- if and $root.Values.tls.existingSecret (ne .role "migrate") }}
tls:
  path: tls
  volume: {secret: {secretName: {{ $root.Values.tls.existingSecret }}, defaultMode: 0440}}
{{- end }}
{{- with $root.Values.postgres.tls.existingSecret }}
postgres-tls:
  path: postgres-tls
  volume: {secret: {secretName: {{ . }}, defaultMode: 0440}}
{{- end }}
{{- if and $root.Values.redis.tls.existingSecret (has .role (list "game" "matchmaking" "ranking")) }}
redis-tls:
  path: redis-tls
  volume: {secret: {secretName: {{ $root.Values.redis.tls.existingSecret }}, defaultMode: 0440}}
{{- end }}
{{- end -}}

{{/* volumeMounts of a container; takes root and role. */}}
{{- define "spatz.mounts" -}}
{{- with include "spatz.files" . | fromYaml }}
volumeMounts:
  {{- range $name, $file := . }}
  - name: {{ $name }}
    mountPath: /etc/spatz/{{ $file.path }}
    readOnly: true
  {{- end }}
{{- end }}
{{- end -}}

{{/* volumes of a pod; takes root and role. */}}
{{- define "spatz.volumes" -}}
{{- with include "spatz.files" . | fromYaml }}
volumes:
  {{- range $name, $file := . }}
  - name: {{ $name }}
    {{- toYaml $file.volume | nindent 4 }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* How a service is asked for its health; takes root, role, port and the name of what is asked.
Kubernetes has no certificate to show, so with TLS the program asks itself. */}}
{{- define "spatz.grpcProbe" -}}
{{- if .root.Values.tls.existingSecret }}
exec:
  command:
    - /usr/bin/spatz
    - probe
    - --tls-name={{ include "spatz.fullname" .root }}-{{ .role }}
    - grpc://127.0.0.1:{{ .port }}/{{ .service }}
{{- else }}
grpc:
  port: {{ .port }}
  {{- with .service }}
  service: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "spatz.gameUrl" -}}
- name: SPATZ_GAME_URL
  value: {{ include "spatz.scheme" . }}://{{ include "spatz.fullname" . }}-game:7001
{{- end -}}

{{- define "spatz.rankingUrl" -}}
- name: SPATZ_RANKING_URL
  value: {{ include "spatz.scheme" . }}://{{ include "spatz.fullname" . }}-ranking:7003
{{- end -}}

{{/* What each role is told beside what all are told; takes the root. */}}
{{- define "spatz.env.gateway" -}}
- name: SPATZ_LISTEN
  value: "[::]:8080"
- name: SPATZ_PUBLIC_URL
  value: {{ required "expected publicUrl, such as https://cards.example" .Values.publicUrl | quote }}
- name: SPATZ_SIGNING_KEY_FILE
  value: /etc/spatz/keys/{{ if .Values.signingKey.existingSecret.name }}{{ .Values.signingKey.existingSecret.key }}{{ else }}signing-key.pem{{ end }}
{{- with .Values.signingKey.existingSecret.accepted }}
{{- $files := list }}
{{- range . }}
{{- $files = append $files (printf "/etc/spatz/keys/%s" .) }}
{{- end }}
- name: SPATZ_ACCEPTED_KEY_FILES
  value: {{ join "," $files | quote }}
{{- end }}
{{ include "spatz.postgresEnv" . }}
- name: SPATZ_POSTGRES_CONNECTIONS
  value: {{ .Values.gateway.postgresConnections | quote }}
{{ include "spatz.gameUrl" . }}
- name: SPATZ_MATCHMAKING_URL
  value: {{ include "spatz.scheme" . }}://{{ include "spatz.fullname" . }}-matchmaking:7002
{{ include "spatz.rankingUrl" . }}
{{- with .Values.gateway.trustedProxyHeader }}
- name: SPATZ_TRUSTED_PROXY_HEADER
  value: {{ . | quote }}
{{- end }}
- name: SPATZ_RATE_LIMIT_FACTOR
  value: {{ .Values.gateway.rateLimitFactor | quote }}
- name: SPATZ_ACCESS_TOKEN_SECONDS
  value: {{ .Values.gateway.accessTokenSeconds | int | quote }}
- name: SPATZ_CORS_ORIGINS
  value: {{ join "," .Values.gateway.corsOrigins | quote }}
- name: SPATZ_HEARTBEAT_MS
  value: {{ .Values.gateway.heartbeatMs | int | quote }}
{{- end -}}

{{- define "spatz.env.game" -}}
- name: SPATZ_LISTEN
  value: "[::]:7001"
{{ include "spatz.redisEnv" . }}
- name: SPATZ_REDIS_WAIT
  value: {{ .Values.redis.wait | quote }}
{{ include "spatz.postgresEnv" . }}
- name: SPATZ_POSTGRES_CONNECTIONS
  value: {{ .Values.game.postgresConnections | quote }}
{{ include "spatz.rankingUrl" . }}
- name: SPATZ_HEARTBEAT_MS
  value: {{ .Values.game.heartbeatMs | int | quote }}
{{- end -}}

{{- define "spatz.env.matchmaking" -}}
- name: SPATZ_LISTEN
  value: "[::]:7002"
{{ include "spatz.redisEnv" . }}
{{ include "spatz.postgresEnv" . }}
- name: SPATZ_POSTGRES_CONNECTIONS
  value: {{ .Values.matchmaking.postgresConnections | quote }}
{{ include "spatz.gameUrl" . }}
{{ include "spatz.rankingUrl" . }}
{{- if .Values.queues }}
- name: SPATZ_QUEUES_FILE
  value: /etc/spatz/queues/queues.json
{{- end }}
{{- end -}}

{{- define "spatz.env.ranking" -}}
- name: SPATZ_LISTEN
  value: "[::]:7003"
{{ include "spatz.redisEnv" . }}
{{ include "spatz.postgresEnv" . }}
- name: SPATZ_POSTGRES_CONNECTIONS
  value: {{ .Values.ranking.postgresConnections | quote }}
- name: SPATZ_LISTED_AFTER_MATCHES
  value: {{ .Values.ranking.listedAfterMatches | quote }}
- name: SPATZ_INACTIVE_AFTER_DAYS
  value: {{ .Values.ranking.inactiveAfterDays | quote }}
- name: SPATZ_SEASON_SCHEDULE
  value: {{ .Values.ranking.seasonSchedule | quote }}
{{- end -}}

{{/* Security of every pod and every container of the program. */}}
{{- define "spatz.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{- define "spatz.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{/* Ports of the roles. */}}
{{- define "spatz.ports" -}}
gateway: 8080
game: 7001
matchmaking: 7002
ranking: 7003
{{- end -}}

{{/* Names under which the services tell their health in gRPC. */}}
{{- define "spatz.health" -}}
game: spatz.v1.Game
matchmaking: spatz.v1.Matchmaking
ranking: spatz.v1.Ranking
{{- end -}}
