import { expect, it } from 'vitest'
import { MAX_CLIPBOARD_BYTES, readClipboardRequest } from './clipboard-request.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

it('reads a text for the clipboard', () => {
  expect(readClipboardRequest(`c;${base64('grüße\r\n')}`)).toEqual({ kind: 'write', text: 'grüße\n' })
  expect(readClipboardRequest(`;${base64('a\u001B[201~\u202Eb')}`)).toEqual({ kind: 'write', text: 'a[201~b' })
})

it('never treats a question for the contents, or nonsense, as something to do', () => {
  for (const data of ['c;?', ';?', '', 'c', 'x;YQ==', 'c;', 'c;%%%', `c;${Buffer.of(0xff, 0xfe).toString('base64')}`]) {
    expect(readClipboardRequest(data)).toEqual({ kind: 'ignored' })
  }
})

it('refuses texts above the limit before it decodes them', () => {
  expect(readClipboardRequest(`c;${base64('x'.repeat(MAX_CLIPBOARD_BYTES))}`).kind).toBe('write')
  expect(readClipboardRequest(`c;${base64('x'.repeat(MAX_CLIPBOARD_BYTES + 16))}`).kind).toBe('too-long')
})
