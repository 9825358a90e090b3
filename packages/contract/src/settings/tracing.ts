// Settings of traces (OpenTelemetry).
import * as z from 'zod'
import { whole } from './numbers.ts'
import type { SettingSpec } from './spec.ts'

const server = ['server'] as const

export const TRACING_SETTINGS = {
  BOWLINE_OTLP_URL: {
    programs: server,
    schema: z
      .string()
      .regex(/^https?:\/\/[^\s?#@]+$/, 'must be http://host[:port] or https://host[:port], with a path if there is one')
      .transform((url) => url.replace(/\/$/, ''))
      .optional(),
    description:
      'Collector of traces by OTLP over HTTP (protobuf), such as http://127.0.0.1:4318; /v1/traces is added. Headers, timeout and certificates are those of OTEL_EXPORTER_OTLP_…. Without it nothing of OpenTelemetry’s SDK is loaded.',
  },
  BOWLINE_TRACE_PERCENT: {
    programs: server,
    schema: whole(0, 100).default(100),
    description: 'With BOWLINE_OTLP_URL: how many of a hundred logins and requests are traced.',
  },
} as const satisfies Record<string, SettingSpec>
