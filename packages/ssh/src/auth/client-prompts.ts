// SSH_MSG_USERAUTH_INFO_REQUEST (RFC 4256 section 3.2) as a client reads it.
import type { PromptRound } from '../client-api.ts'
import { limitFault } from '../fault.ts'
import { WireReader } from '../wire/reader.ts'

const NAME_BYTES = 1_024
const INSTRUCTION_BYTES = 16_384
const PROMPT_BYTES = 4_096
const MAX_PROMPTS = 32

/**
 * @param payload starting with the message number
 * @throws {WireError} when it is malformed
 * @throws {Fault} `auth-pipeline` for more questions than a person answers
 */
export function readPromptRound(payload: Uint8Array): PromptRound {
  const reader = new WireReader(payload, 1)
  const name = reader.text('name', NAME_BYTES)
  const instruction = reader.text('instruction', INSTRUCTION_BYTES)
  reader.string('language', 64)
  const count = reader.uint32('number of prompts')
  if (count > MAX_PROMPTS) throw limitFault('auth-pipeline', 'The server asks too many questions.')
  const prompts = Array.from({ length: count }, () => {
    const text = reader.text('prompt', PROMPT_BYTES)
    return { text, echo: reader.boolean('echo') }
  })
  reader.end('information request')
  return { name, instruction, prompts }
}
