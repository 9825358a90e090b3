// The span of each request, under which its credential is checked and its handler runs.
import type { FastifyRequest } from 'fastify'
import { type Span, beginSpan, under } from '../platform/tracing/spans.ts'

const spans = new WeakMap<FastifyRequest, Span>()

/** Begins a trace with the method and the route, never with the path that was asked for. */
export function beginRequest(request: FastifyRequest): void {
  const route = request.routeOptions.url ?? '(none)'
  spans.set(request, beginSpan('http.request', { 'http.request.method': request.method, 'http.route': route }))
}

/** Statements that the work executes become spans of the request. */
export function inRequest<T>(request: FastifyRequest, work: () => T): T {
  const span = spans.get(request)
  return span ? under(span, work) : work()
}

/** @param status HTTP status of the answer */
export function endRequest(request: FastifyRequest, status: number): void {
  spans.get(request)?.setAttribute('http.response.status_code', status).end()
}
