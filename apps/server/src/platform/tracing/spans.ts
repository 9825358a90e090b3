// Spans of logins and requests. Without a provider (tracing.ts) each is a no-op. Attributes are kinds and outcomes; never
// secrets, nor what people type, nor names of files.
import {
  type Attributes,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'

export type { Span }

/** For work that belongs to no trace. */
export const NO_SPAN: Span = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)

/** Begins a span; its owner calls `end`. @param parent default: a trace of its own */
export function beginSpan(name: string, attributes: Attributes, parent?: Span): Span {
  const within = parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT
  return trace.getTracer('bowline').startSpan(name, { attributes }, within)
}

/**
 * A span around some work, marked as failed when it rejects; what it rejects with is not recorded, since messages may
 * have names in them.
 */
export async function inSpan<T>(
  name: string,
  parent: Span,
  work: (span: Span) => Promise<T>,
  attributes: Attributes = {},
): Promise<T> {
  const span = beginSpan(name, attributes, parent)
  try {
    return await work(span)
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}

/** `traceparent` of a recorded span (W3C Trace Context section 3.2), as fields of a message; none without. */
export function traceField(span: Span): { readonly trace?: string } {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return traceFlags & TraceFlags.SAMPLED ? { trace: `00-${traceId}-${spanId}-01` } : {}
}
