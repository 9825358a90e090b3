// gRPC, by grpc-js.
import { randomBytes } from 'node:crypto'
import { Client, Metadata, type ServiceError, compressionAlgorithms, credentials } from '@grpc/grpc-js'
import { until } from '../../support/wait.ts'
import type { Row, Site } from '../row.ts'
import { METHODS, arrivedCalls, cancelledCalls } from '../services/grpc.ts'

let count = 0

/** Errors as callers see them. */
function failure({ code, details, metadata }: ServiceError): object {
  return { code, details, why: metadata.get('x-why') }
}

const same = (value: Buffer): Buffer => value

interface Called {
  readonly error?: object
  readonly text?: string
  readonly headers?: unknown
  readonly trailers?: unknown
}

function fields(metadata: Metadata): unknown {
  return [metadata.get('x-text'), metadata.get('x-bytes-bin').map((value) => Buffer.from(value).toString('hex'))]
}

function call(
  client: Client,
  { path }: { readonly path: string },
  message: Buffer,
  metadata = new Metadata(),
  deadline?: number,
): Promise<Called> {
  return new Promise((resolve) => {
    const called: { headers?: unknown; trailers?: unknown } = {}
    const options = deadline === undefined ? {} : { deadline: Date.now() + deadline }
    const unary = client.makeUnaryRequest(path, same, same, message, metadata, options, (error, value) =>
      setImmediate(() =>
        resolve(error ? { error: failure(error) } : { ...called, text: value?.toString('latin1') ?? '' }),
      ),
    )
    unary.on('metadata', (headers) => (called.headers = fields(headers)))
    unary.on('status', ({ metadata: trailers }) => (called.trailers = fields(trailers)))
  })
}

const FEATURES: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'a unary call, with metadata in both directions': (client) => {
    const metadata = new Metadata()
    metadata.set('x-text', 'words')
    metadata.set('x-bytes-bin', Buffer.from([0, 1, 254, 255]))
    return call(client, METHODS.echo, Buffer.from('hello'), metadata)
  },
  'a message of 4 MB': async (client) => {
    const message = randomBytes(4_000_000)
    const { text, error } = await call(client, METHODS.echo, message)
    if (text !== message.toString('latin1')) throw new Error(`other bytes came back: ${JSON.stringify(error)}`)
    return 'the same'
  },
  'a failure with details': (client) => call(client, METHODS.fail, Buffer.alloc(0)),
  'an unknown method (trailers only)': (client) => call(client, METHODS.missing, Buffer.alloc(0)),
  '50 calls at once': (client) =>
    Promise.all(Array.from({ length: 50 }, (_, at) => call(client, METHODS.echo, Buffer.from(`call ${at}`)))),
  'a stream of the client': (client) =>
    new Promise((resolve, reject) => {
      const stream = client.makeClientStreamRequest(METHODS.sum.path, same, same, (error, value) =>
        error ? reject(error) : resolve(String(value)),
      )
      for (let at = 0; at < 500; at += 1) stream.write(Buffer.alloc(100))
      stream.end()
    }),
  'a stream of the service': (client) =>
    new Promise((resolve, reject) => {
      let heard = 0
      const stream = client.makeServerStreamRequest(METHODS.count.path, same, same, Buffer.from('1000'))
      stream.on('data', (message: Buffer) => {
        if (String(message) === String(heard)) heard += 1
      })
      stream.on('error', reject).on('end', () => resolve(heard))
    }),
  'streams both ways, each message after the answer to the last': (client) =>
    new Promise((resolve, reject) => {
      const heard: string[] = []
      const stream = client.makeBidiStreamRequest(METHODS.talk.path, same, same)
      stream.on('data', (message: Buffer) => {
        heard.push(String(message))
        if (heard.length < 10) stream.write(Buffer.from(`message ${heard.length}`))
        else stream.end()
      })
      stream.on('error', reject).on('end', () => resolve(heard))
      stream.write(Buffer.from('message 0'))
    }),
  'compression of messages': async (client) => call(client, METHODS.echo, Buffer.from('again and '.repeat(1_000))),
  'a deadline, which the service sees': async (client) => {
    const name = `deadline ${(count += 1)}`
    const metadata = new Metadata()
    metadata.set('x-name', name)
    const { error } = await call(client, METHODS.hang, Buffer.alloc(0), metadata, 500)
    await until('the service sees the end of the call', () => cancelledCalls.has(name))
    return (error as { code: number }).code
  },
  'a call that the client cancels': async (client) => {
    const name = `cancel ${(count += 1)}`
    const metadata = new Metadata()
    metadata.set('x-name', name)
    const { promise: ended, resolve } = Promise.withResolvers()
    const unary = client.makeUnaryRequest(METHODS.hang.path, same, same, Buffer.alloc(0), metadata, (error) =>
      resolve(error && failure(error)),
    )
    await until('the call reaches the service', () => arrivedCalls.has(name))
    unary.cancel()
    const error = await ended
    await until('the service sees the end of the call', () => cancelledCalls.has(name))
    return error
  },
}

const COMPRESSED = { 'grpc.default_compression_algorithm': compressionAlgorithms.gzip }

export const grpcRows: readonly Row[] = Object.entries(FEATURES).map(([feature, run]) => ({
  service: 'gRPC',
  client: 'HTTP/2',
  feature,
  async run(site) {
    const client = connect(site, feature.startsWith('compression') ? COMPRESSED : {})
    try {
      return await run(client)
    } finally {
      client.close()
    }
  },
}))

function connect(site: Site, options: object): Client {
  const target = `ipv4:127.0.0.1:${site.port}`
  const limits = { 'grpc.max_receive_message_length': 16 * 1024 * 1024, ...options }
  if (site.name === 'direct') return new Client(target, credentials.createInsecure(), limits)
  return new Client(target, credentials.createSsl(Buffer.from(site.certificate)), {
    ...limits,
    'grpc.default_authority': site.authority,
    'grpc.ssl_target_name_override': site.authority.replace(/:\d+$/, ''),
  })
}
