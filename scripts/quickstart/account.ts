// The first account: created by the ordinary set-up call when the server offers its link, else signed in to with stored
// credentials of an earlier run.
import { randomBytes } from 'node:crypto'
import { ApiError, type ClientOptions, createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { type Kept, keep, readKept } from './kept.ts'
import { systemUserName } from './system-user.ts'

export interface Account {
  /** Undefined when this data folder's first account was not made by the quickstart. */
  readonly kept: Kept | undefined
  /** Bearer token; undefined when the stored credentials do not work. */
  readonly token: string | undefined
}

const WRONG_PASSWORD = 401

export async function ensureAccount(options: {
  api: ClientOptions
  setupLink: string | undefined
  dataFolder: string
}): Promise<Account> {
  const { call } = createClient(options.api)
  const { dataFolder } = options
  const sign = options.setupLink && new URL(options.setupLink).searchParams.get('sign')
  if (sign) {
    const username = platformUserName(systemUserName())
    const password = randomBytes(9).toString('base64url')
    const body = { name: username, username, email: `${username}@localhost.localdomain`, password }
    await call(operations.instance.setup, { query: { sign }, body })
    await keep(dataFolder, { username, password })
  }
  const kept = await readKept(dataFolder)
  if (!kept?.password) return { kept, token: undefined }
  const { username, password } = kept
  try {
    const { body } = await call(operations.auth.login, { body: { username, password } })
    const known = { ...kept, tenant: body.tenant }
    if (kept.tenant !== body.tenant) await keep(dataFolder, known)
    return { kept: known, token: body.token }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { password: _, ...others } = kept
    if (error.status === WRONG_PASSWORD) await keep(dataFolder, others)
    return { kept: others, token: undefined }
  }
}

/** A valid platform user name derived from this machine's user name. */
function platformUserName(name: string): string {
  const valid = name.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '-')
  return valid.length >= 3 ? valid.slice(0, 20) : `${valid}-user`
}
