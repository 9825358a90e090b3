// Verifies that a recording is unmodified: reads it once, in little memory, and reports the first bad chunk.
import { createHash } from 'node:crypto'
import { type ChainState, type Seal, chunkText, firstState, readChainLine, sealText } from './chain.ts'
import { type SealedIdentity, readIdentityLine } from './identity.ts'
import { createLineSplitter } from './lines.ts'

export type Verdict =
  | { readonly result: 'intact'; readonly seal: Seal; readonly identity: SealedIdentity | undefined }
  /** No seal, but nothing wrong before it: the recording is still being written, or was cut off by a crash. */
  | {
      readonly result: 'unsealed'
      readonly state: ChainState
      /** Offset at which the last closed chunk ends. */
      readonly bytes: number
      /** Undefined until the first chunk is signed. */
      readonly identity: SealedIdentity | undefined
    }
  /** @property chunk the first modified chunk; a missing one counts as modified */
  | { readonly result: 'tampered'; readonly chunk: number; readonly rule: string }

export interface Verifier {
  push(bytes: Uint8Array): void
  /** Call after the last byte. */
  end(): Verdict
}

/** @param isSigned verifies a signature (base64url) of a text by the instance's key */
export function createVerifier(recording: string, isSigned: (text: string, signature: string) => boolean): Verifier {
  const splitter = createLineSplitter()
  let { chunks, hash } = firstState(recording)
  let open = createHash('sha256').update(Buffer.from(hash, 'hex'))
  let openBytes = 0
  let bytes = 0
  let closedAt = 0
  let seal: Seal | undefined
  let identity: SealedIdentity | undefined
  let verdict: Verdict | undefined
  const bad = (rule: string): void => {
    verdict ??= { result: 'tampered', chunk: chunks, rule }
  }

  function take(line: Uint8Array): void {
    bytes += line.length
    if (seal) return bad('there is data after the seal')
    const isComment = line[0] === 0x23
    const mark = isComment ? readChainLine(Buffer.from(line).toString('latin1')) : undefined
    if (!mark) {
      if (isComment && chunks === 0) identity ??= readIdentityLine(Buffer.from(line).toString())
      open.update(line)
      openBytes += line.length
    } else if (mark.kind === 'chunk') {
      const actual = open.digest('hex')
      if (mark.chunk !== chunks) return bad('the chunk is out of order')
      if (mark.hash !== actual) return bad('its bytes do not match its hash')
      if (!isSigned(chunkText(recording, chunks, actual), mark.signature)) return bad('its signature is invalid')
      chunks += 1
      hash = actual
      open = createHash('sha256').update(Buffer.from(hash, 'hex'))
      openBytes = 0
      closedAt = bytes
    } else {
      if (openBytes > 0) return bad('the chunk has no end line')
      if (mark.seal.recording !== recording) return bad('the seal belongs to another recording')
      if (mark.seal.chunks !== chunks || mark.seal.hash !== hash) return bad('the seal does not match the chunks')
      if (!isSigned(sealText(mark.text), mark.signature)) return bad('the signature of the seal is invalid')
      ;({ seal } = mark)
    }
  }

  return {
    push(piece) {
      if (verdict) return
      try {
        for (const line of splitter.push(piece)) {
          take(line)
          if (verdict) return
        }
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        bad(error.message)
      }
    },
    end() {
      if (verdict) return verdict
      if (!seal) {
        return {
          result: 'unsealed',
          state: { chunks, hash },
          bytes: closedAt,
          identity: chunks === 0 ? undefined : identity,
        }
      }
      if (splitter.rest.length > 0) return { result: 'tampered', chunk: chunks, rule: 'there is data after the seal' }
      return { result: 'intact', seal, identity }
    },
  }
}
