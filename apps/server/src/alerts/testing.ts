// A receiver of webhooks in the test's process, which answers as the test says.
import { type IncomingHttpHeaders, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '@bowline/testkit/until'

export interface ReceivedMessage {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly messages: ReceivedMessage[]
  /** The next messages are answered so, one each; then by 200. */
  answer(...answers: readonly { status: number; headers?: Record<string, string>; body?: string }[]): void
  /** Resolves when so many messages have arrived. */
  received(count: number): Promise<readonly ReceivedMessage[]>
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const messages: ReceivedMessage[] = []
  const answers: { status: number; headers?: Record<string, string>; body?: string }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      messages.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() })
      const { status, headers = {}, body = 'ok' } = answers.shift() ?? { status: 200 }
      response.writeHead(status, headers).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    answer: (...given) => void answers.push(...given),
    async received(count) {
      await until(() => messages.length >= count)
      return messages
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
