// Spans of logins and requests, and of the statements and streams that they need. Without a provider (tracing.ts) each is a no-op. Attributes are kinds and outcomes; never
// secrets, nor what people type, nor names of files.
import { AsyncLocalStorage } from 'node:async_hooks'
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

/** Ends a span that may have ended already. */
export function endOnce(span: Span): void {
  if (span.isRecording()) span.end()
}

const current = new AsyncLocalStorage<Span>()

/** Runs work under a span, of which what it does by {@link traced} becomes a part. Costs nothing where nothing is recorded. */
export function under<T>(span: Span, work: () => T): T {
  return span.isRecording() ? current.run(span, work) : work()
}

/** A span around some work, part of what the caller works under; none where that is not recorded or has ended. */
export function traced<T>(name: string, attributes: () => Attributes, work: () => Promise<T>): Promise<T> {
  const parent = current.getStore()
  return parent?.isRecording() ? inSpan(name, parent, work, attributes()) : work()
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
    return await under(span, () => work(span))
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

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/

/** Continues a trace that another node began. @param traceparent as {@link traceField} gives it; others begin none */
export function continueTrace(name: string, traceparent: unknown, attributes: Attributes): Span {
  const [, traceId, spanId] = (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || []
  if (traceId === undefined || spanId === undefined) return NO_SPAN
  const context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true }
  return beginSpan(name, attributes, trace.wrapSpanContext(context))
}
