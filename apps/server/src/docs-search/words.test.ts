import { describe, expect, it } from 'vitest'
import { termsOf } from './words.ts'

describe('terms', () => {
  it.each([
    ['Adding added adds', ['ad', 'ad', 'ad']],
    ['recording recorded recordings', ['record', 'record', 'record']],
    ['Gerät autenticación', ['gerat', 'autenticacion']],
    ['X-API-Key', ['x-api-key', 'x', 'api', 'kei']],
    ['BOWLINE_HTTP_PORT', ['bowline_http_port', 'bowlin', 'http', 'port']],
    ['/etc/bowline/agent.env', ['etc/bowline/agent.env', 'etc', 'bowlin', 'agent', 'env']],
    ['The end.', ['the', 'end']],
    ['… — !', []],
  ])('splits %j into the terms %j', (text, expected) => {
    expect(termsOf(text)).toEqual(expected)
  })
})
