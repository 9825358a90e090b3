// A gRPC server, with handlers of every kind of call. Messages are bytes: no schema is needed for what tunnels carry.
import { Metadata, Server, ServerCredentials, type UntypedHandleCall, status } from '@grpc/grpc-js'
import type { Service } from './service.ts'

const bytes = { serialize: (value: Buffer) => value, deserialize: (value: Buffer) => value }

function method(name: string, requestStream: boolean, responseStream: boolean) {
  return {
    path: `/board.Board/${name}`,
    requestStream,
    responseStream,
    requestSerialize: bytes.serialize,
    requestDeserialize: bytes.deserialize,
    responseSerialize: bytes.serialize,
    responseDeserialize: bytes.deserialize,
  }
}

export const METHODS = {
  echo: method('Echo', false, false),
  fail: method('Fail', false, false),
  hang: method('Hang', false, false),
  missing: method('Missing', false, false),
  sum: method('Sum', true, false),
  count: method('Count', false, true),
  talk: method('Talk', true, true),
} as const

/** Names of calls that hang. */
export const arrivedCalls = new Set<string>()
/** Names of calls that the service has seen cancelled. */
export const cancelledCalls = new Set<string>()

interface Call {
  readonly request: Buffer
  readonly metadata: Metadata
  sendMetadata(metadata: Metadata): void
  on(event: 'cancelled', listener: () => void): void
}
interface Stream extends Call {
  on(event: 'cancelled' | 'end', listener: () => void): void
  on(event: 'data', listener: (message: Buffer) => void): void
  write(message: Buffer): boolean
  end(trailers?: Metadata): void
}
type Done = (error: object | null, value?: Buffer, trailers?: Metadata) => void

const handlers = {
  echo(call: Call, done: Done) {
    const heard = new Metadata()
    for (const name of ['x-text', 'x-bytes-bin']) for (const value of call.metadata.get(name)) heard.add(name, value)
    call.sendMetadata(heard.clone())
    done(null, call.request, heard)
  },
  fail(_: Call, done: Done) {
    const trailers = new Metadata()
    trailers.set('x-why', 'on purpose')
    done({ code: status.FAILED_PRECONDITION, details: 'not now – später', metadata: trailers })
  },
  hang(call: Call) {
    const name = String(call.metadata.get('x-name'))
    arrivedCalls.add(name)
    call.on('cancelled', () => cancelledCalls.add(name))
  },
  sum(call: Stream, done: Done) {
    let total = 0
    call.on('data', (message) => (total += message.length))
    call.on('end', () => done(null, Buffer.from(String(total))))
  },
  count(call: Stream) {
    const times = Number(call.request)
    for (let at = 0; at < times; at += 1) call.write(Buffer.from(String(at)))
    call.end()
  },
  talk(call: Stream) {
    call.on('data', (message) => call.write(Buffer.concat([Buffer.from('heard '), message])))
    call.on('end', () => call.end())
  },
} as const

export async function startGrpc(): Promise<Service> {
  const server = new Server({ 'grpc.max_receive_message_length': 16 * 1024 * 1024 })
  const { missing: _, ...definition } = METHODS
  server.addService(definition, handlers as unknown as Record<string, UntypedHandleCall>)
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )
  return {
    port,
    protocol: 'HTTP/2',
    [Symbol.asyncDispose]() {
      server.forceShutdown()
      return Promise.resolve()
    },
  }
}
