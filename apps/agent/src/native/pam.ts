// Linux-PAM (pam(3)) through the system's own libpam. Every call may block as long as a module likes, and a
// conversation prompts in the middle of it: this runs in a separate process (see login/pam-process.ts), where blocking
// is harmless.
import koffi from 'koffi'
import { cMemory, cString } from './memory.ts'

/** Return values of pam(3) that are relevant to a login. */
export const PAM = {
  success: 0,
  permissionDenied: 6,
  userUnknown: 10,
  newTokenRequired: 12,
  accountExpired: 13,
  tokenExpired: 27,
} as const
const PAM_BUF_ERR = 5
const PAM_CONV_ERR = 19
const PAM_USER = 2
const PAM_TTY = 3
const PAM_RHOST = 4
const PAM_FAIL_DELAY = 10
const PAM_DISALLOW_NULL_AUTHTOK = 1
const PAM_CHANGE_EXPIRED_AUTHTOK = 0x20
const PAM_ESTABLISH_CRED = 2
const PAM_DELETE_CRED = 4
/** Size of struct pam_response: a pointer and an int. */
const RESPONSE_BYTES = 16
const MAX_MESSAGES = 16

export type PamStyle = 'hidden' | 'shown' | 'error' | 'info'
const STYLES: readonly (PamStyle | undefined)[] = [undefined, 'hidden', 'shown', 'error', 'info']

/** A message or prompt of a module. */
export interface PamMessage {
  readonly style: PamStyle
  readonly text: string
}

/** Answers each message; messages without a prompt with ''. Undefined: the user has gone. */
export type PamConversation = (messages: readonly PamMessage[]) => readonly string[] | undefined

/** One transaction. Every call returns a PAM return value. */
export interface PamTransaction {
  authenticate(): number
  account(): number
  /** Makes the user choose a new token in place of an expired one. */
  changeToken(): number
  /** The authenticated user: modules may map it to another one. */
  user(): string
  /**
   * Establishes the user's credentials in this process and opens their session.
   * @param authenticated whether modules authenticated the user; otherwise they may have no credentials to establish
   * @returns the failure; undefined when the session is open
   */
  openSession(authenticated: boolean): string | undefined
  closeSession(): void
  /** `NAME=value` strings that modules have set for the user's processes. */
  environment(): string[]
  end(status: number): void
}

/**
 * Starts a transaction.
 * @throws {Error} when there is no libpam, or it cannot begin
 */
export function startPam(service: string, user: string, remote: string, converse: PamConversation): PamTransaction {
  const libpam = koffi.load('libpam.so.0')
  const start: (service: Buffer, user: Buffer, conv: Buffer, handle: Buffer) => number = libpam.func(
    'int pam_start(const void *service, const void *user, const void *conv, void *handle)',
  )
  const setItem: (handle: bigint, type: number, item: Buffer | bigint) => number = libpam.func(
    'int pam_set_item(void *handle, int type, const void *item)',
  )
  const getItem: (handle: bigint, type: number, item: Buffer) => number = libpam.func(
    'int pam_get_item(void *handle, int type, void *item)',
  )
  const call = (name: string): ((handle: bigint, flags: number) => number) =>
    libpam.func(`int ${name}(void *handle, int flags)`)
  const conversation = cMemory(16)
  conversation.writeBigUInt64LE(conversationPointer(converse), 0)
  const out = cMemory(8)
  const status = start(cString(service), cString(user), conversation, out)
  if (status !== PAM.success) throw new Error(`pam_start: ${status}`)
  const handle = out.readBigUInt64LE(0)
  setItem(handle, PAM_RHOST, cString(remote))
  // Modules expect some terminal name.
  setItem(handle, PAM_TTY, cString('ssh'))
  const noDelay = functionWithoutEffect()
  if (noDelay !== null) setItem(handle, PAM_FAIL_DELAY, noDelay)
  const authenticate = call('pam_authenticate')
  const account = call('pam_acct_mgmt')
  const change = call('pam_chauthtok')
  const credentials = call('pam_setcred')
  const open = call('pam_open_session')
  const close = call('pam_close_session')
  const end = call('pam_end')
  const strerror: (handle: bigint, status: number) => string | null = libpam.func(
    'const char *pam_strerror(void *handle, int status)',
  )
  const explain = (failure: number): string => strerror(handle, failure) ?? String(failure)
  const environment: (handle: bigint) => bigint | null = libpam.func('void *pam_getenvlist(void *handle)')
  return {
    authenticate: () => authenticate(handle, PAM_DISALLOW_NULL_AUTHTOK),
    account: () => account(handle, PAM_DISALLOW_NULL_AUTHTOK),
    changeToken: () => change(handle, PAM_CHANGE_EXPIRED_AUTHTOK),
    user() {
      const item = cMemory(8)
      if (getItem(handle, PAM_USER, item) !== PAM.success) return ''
      const text = item.readBigUInt64LE(0)
      return text === 0n ? '' : koffi.decode.string(text)
    },
    openSession(authenticated) {
      const given = credentials(handle, PAM_ESTABLISH_CRED)
      if (authenticated && given !== PAM.success) return `pam_setcred: ${explain(given)}`
      const opened = open(handle, 0)
      return opened === PAM.success ? undefined : `pam_open_session: ${explain(opened)}`
    },
    closeSession() {
      close(handle, 0)
      credentials(handle, PAM_DELETE_CRED)
    },
    environment: () => stringsAt(environment(handle)),
    end: (last) => void end(handle, last),
  }
}

/** A NULL-terminated array of pointers to strings. */
function stringsAt(array: bigint | null): string[] {
  const strings: string[] = []
  for (let at = array; at; at += 8n) {
    const text = Buffer.from(koffi.view(at, 8)).readBigUInt64LE(0)
    if (text === 0n) break
    strings.push(koffi.decode.string(text))
  }
  return strings
}

/**
 * For PAM_FAIL_DELAY of pam_set_item(3), which is called instead of sleeping after a failure: the gateway limits guesses
 * and answers all refusals after the same time. Two seconds of a module would disclose which devices are online, and fill
 * the queue of checks. A function of libc that ignores its arguments does: PAM calls it outside of JavaScript.
 * @returns its address; null where the C library does not tell
 */
function functionWithoutEffect(): bigint | null {
  try {
    const dlsym: (library: null, symbol: Buffer) => bigint | null = koffi
      .load(null)
      .func('void *dlsym(void *library, const void *symbol)')
    return dlsym(null, cString('getppid'))
  } catch {
    // The program does not link the library that has dlsym (glibc before 2.34): PAM sleeps.
    return null
  }
}

/** pam_conv(3): messages arrive as an array of pointers; answers are returned in memory that PAM frees. */
function conversationPointer(converse: PamConversation): bigint {
  const libc = koffi.load(null)
  const calloc: (count: number, size: number) => bigint | null = libc.func('void *calloc(size_t count, size_t size)')
  const strdup: (text: Buffer) => bigint | null = libc.func('void *strdup(const void *text)')
  const type = koffi.proto('int bowline_pam_conversation(int count, void *messages, void *responses, void *data)')
  const answer = (count: number, messages: bigint, responses: bigint): number => {
    if (count < 1 || count > MAX_MESSAGES) return PAM_CONV_ERR
    const pointers = Buffer.from(koffi.view(messages, count * 8))
    const read: PamMessage[] = []
    for (let index = 0; index < count; index += 1) {
      const message = Buffer.from(koffi.view(pointers.readBigUInt64LE(index * 8), 16))
      const style = STYLES[message.readInt32LE(0)]
      if (style === undefined) return PAM_CONV_ERR
      read.push({ style, text: koffi.decode.string(message.readBigUInt64LE(8)) })
    }
    const answers = converse(read)
    if (answers?.length !== count || answers.some((text) => text.includes('\0'))) return PAM_CONV_ERR
    const memory = calloc(count, RESPONSE_BYTES)
    if (!memory) return PAM_BUF_ERR
    const given = Buffer.from(koffi.view(memory, count * RESPONSE_BYTES))
    answers.forEach((text, index) => {
      if (read[index]?.style === 'hidden' || read[index]?.style === 'shown') {
        given.writeBigUInt64LE(strdup(cString(text)) ?? 0n, index * RESPONSE_BYTES)
      }
    })
    Buffer.from(koffi.view(responses, 8)).writeBigUInt64LE(memory, 0)
    return PAM.success
  }
  return koffi.register((count: number, messages: bigint, responses: bigint) => {
    try {
      return answer(count, messages, responses)
    } catch {
      return PAM_CONV_ERR
    }
  }, koffi.pointer(type))
}
