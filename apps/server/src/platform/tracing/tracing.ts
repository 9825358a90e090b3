// Sends spans to a collector: OpenTelemetry's SDK, loaded only when there is one.
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerSettings } from '@bowline/contract/config'
import { trace } from '@opentelemetry/api'
import { VERSION } from '../version.ts'

/** Spans that wait for the collector; further ones are dropped. */
const MAX_WAITING = 2_048
const MAX_BATCH = 512
const BATCH_MS = 5_000
/** For a batch, and for what is left when the server stops. */
const EXPORT_MS = 5_000

/**
 * Starts to send spans where there is a collector.
 * @param node name of this server process
 * @param onEnd takes what sends the rest, for five seconds at most, and stops
 */
export async function startTracing(
  { BOWLINE_OTLP_URL: url, BOWLINE_TRACE_PERCENT: percent }: ServerSettings,
  node: string,
  onEnd: (ending: () => Promise<void>) => void,
): Promise<void> {
  if (url === undefined) return
  const [sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ])
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces`, timeoutMillis: EXPORT_MS })
  const limits = { maxQueueSize: MAX_WAITING, maxExportBatchSize: MAX_BATCH, scheduledDelayMillis: BATCH_MS }
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'bowline',
      'service.version': VERSION,
      'service.instance.id': node,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(percent / 100) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, ...limits, exportTimeoutMillis: EXPORT_MS })],
  })
  trace.setGlobalTracerProvider(provider)
  onEnd(async () => {
    trace.disable()
    // A collector that is away keeps no server from stopping.
    await Promise.race([provider.shutdown().catch(() => undefined), pause(EXPORT_MS, undefined, { ref: false })])
  })
}
