// A fake of an OpenTelemetry collector: takes OTLP over HTTP as protobuf and keeps the spans. It reads the few fields that
// tests ask about (opentelemetry-proto: trace/v1/trace.proto), by their numbers.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listeningPort } from '@bowline/base/testing/listening-port'

export interface CollectedSpan {
  readonly trace: string
  readonly id: string
  /** '' for the first of a trace. */
  readonly parent: string
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

export interface FakeCollector {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** Everything received, to search it for what must not be there. */
  text(): string
  close(): void
}

export async function startFakeCollector(): Promise<FakeCollector> {
  const spans: CollectedSpan[] = []
  const bodies: Buffer[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    bodies.push(body)
    if (request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf') {
      spans.push(...spansOf(body))
    }
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${listeningPort(server)}`,
    spans,
    text: () => Buffer.concat(bodies).toString('latin1'),
    close: () => void server.close(),
  }
}

/** ExportTraceServiceRequest.resource_spans (1), ResourceSpans.scope_spans (2), ScopeSpans.spans (2). */
function spansOf(request: Buffer): CollectedSpan[] {
  const messages = all(request, 1).flatMap((resource) => all(resource, 2).flatMap((scope) => all(scope, 2)))
  return messages.map((span) => ({
    trace: first(span, 1).toString('hex'),
    id: first(span, 2).toString('hex'),
    parent: first(span, 4).toString('hex'),
    name: first(span, 5).toString(),
    attributes: Object.fromEntries(all(span, 9).map((pair) => [first(pair, 1).toString(), valueOf(first(pair, 2))])),
  }))
}

/** AnyValue: a text (1), or another kind, as the hex digits of its bytes. */
function valueOf(value: Buffer): string {
  const [text] = all(value, 1)
  return text === undefined ? value.toString('hex') : text.toString()
}

const first = (message: Buffer, number: number): Buffer => all(message, number)[0] ?? Buffer.alloc(0)

/** Length-delimited fields of that number. */
function all(message: Buffer, number: number): Buffer[] {
  const found: Buffer[] = []
  let at = 0
  const varint = (): number => {
    let [value, scale] = [0, 1]
    for (;;) {
      const byte = message.readUInt8(at++)
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
  }
  while (at < message.length) {
    const key = varint()
    const kind = key % 8
    if (kind === 0) varint()
    else if (kind === 1) at += 8
    else if (kind === 5) at += 4
    else {
      const length = varint()
      if (Math.floor(key / 8) === number) found.push(message.subarray(at, at + length))
      at += length
    }
  }
  return found
}
