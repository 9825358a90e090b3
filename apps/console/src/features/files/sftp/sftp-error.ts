// Failures of file operations, in words.
import { STATUS } from '@bowline/sftp/protocol'
import { filesMessages } from '../messages.ts'
import { plainText } from './paths.ts'

const texts = filesMessages.errors

/** The device has refused an operation. */
export class SftpError extends Error {
  /** One of STATUS. */
  readonly code: number

  /** @param said the device's own words */
  constructor(code: number, said: string) {
    super(reasonOf(code, plainText(said).slice(0, 300)))
    this.code = code
  }
}

/** What the code means; for a general failure the device's own words, as no code says more. */
function reasonOf(code: number, said: string): string {
  switch (code) {
    case STATUS.noSuchFile:
      return texts.noSuchFile
    case STATUS.permissionDenied:
      return texts.permissionDenied
    case STATUS.unsupported:
      return texts.unsupported
    default:
      return said === '' || said === 'Failure' ? texts.failure : texts.said(said)
  }
}

export function isCode(error: unknown, code: number): boolean {
  return error instanceof SftpError && error.code === code
}

/** Rejects with what the page wants to show when the session ends, or when a person cancels. */
export class Interrupted extends Error {}
