// Client behaviour before a store has answered; the rest is tested with a real store in
// recordings/offload/object-store.test.ts.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { ClientRequest } from 'node:http'
import { afterEach, expect, it, vi } from 'vitest'
import { type S3Settings, createS3Client } from './client.ts'
import { giveNoCredentials } from './testing.ts'

const settings: S3Settings = {
  endpoint: new URL('http://s3.example.invalid:8080'),
  region: 'eu-north-1',
  bucket: 'recordings',
  prefix: 'of/bowline/',
  pathStyle: true,
  credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
}

afterEach(() => void vi.unstubAllEnvs())

it.each([
  [{ pathStyle: true }, 's3.example.invalid:8080', '/recordings/of/bowline/one'],
  [{ pathStyle: false }, 'recordings.s3.example.invalid:8080', '/of/bowline/one'],
])('uses the host name of the address style: %o', async (style, host, path) => {
  const ending = new AbortController()
  const asked: string[] = []
  const see = (message: unknown): void => {
    const { request } = Object(message) as { request: unknown }
    if (request instanceof ClientRequest) asked.push(`${String(request.getHeader('host'))} ${request.path}`)
    // The name does not resolve: there is nothing to wait for.
    ending.abort()
  }
  subscribe('http.client.request.start', see)
  const client = await createS3Client({ ...settings, ...style }, ending.signal)
  await expect(client.remove('one')).rejects.toThrow('BOWLINE_S3_ENDPOINT')
  unsubscribe('http.client.request.start', see)
  expect(asked).toEqual([`${host} ${path}?x-id=DeleteObject`])
})

it('reports a missing access key when the machine has no role either', async () => {
  giveNoCredentials()
  const client = await createS3Client({ ...settings, credentials: undefined }, new AbortController().signal)
  await expect(client.check()).rejects.toThrow('BOWLINE_S3_ACCESS_KEY_ID is not set')
})
