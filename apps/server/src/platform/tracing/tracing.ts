// Sends spans to a collector: OpenTelemetry's SDK, loaded only when there is one.
import { trace } from '@opentelemetry/api'
import { VERSION } from '../version.ts'

export interface TracingOptions {
  /** Base address of the collector, without a slash at its end. */
  readonly url: string
  /** Traced logins and requests, of a hundred. */
  readonly percent: number
  /** Name of this server process. */
  readonly node: string
}

/** Spans that wait for the collector; further ones are dropped. */
const MAX_WAITING = 2_048
const MAX_BATCH = 512
const BATCH_MS = 5_000
/** For a batch, and for what is left when the server stops. */
const EXPORT_MS = 5_000

/** @returns sends what waits, for five seconds at most, and stops */
export async function startTracing({ url, percent, node }: TracingOptions): Promise<() => Promise<void>> {
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
  return async () => {
    trace.disable()
    // A collector that is away keeps no server from stopping.
    await provider.shutdown().catch(() => undefined)
  }
}
