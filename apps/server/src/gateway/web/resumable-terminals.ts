// Terminals that a new WebSocket may take up. The token is as good as the session, so only its hash is kept.
import { createHash, randomBytes } from 'node:crypto'
import type { Connection } from '../connection.ts'
import type { WebConnection } from './web-connection.ts'
import type { WebTerminal } from './web-terminal.ts'

/** A session as the next WebSocket finds it. */
export interface ResumableTerminal {
  readonly terminal: WebTerminal
  readonly connection: WebConnection
  readonly handler: Connection
}

export interface ResumableTerminals {
  /** @returns the token that finds it */
  add(terminal: ResumableTerminal): string
  find(token: string): ResumableTerminal | undefined
  remove(token: string): void
}

export function createResumableTerminals(): ResumableTerminals {
  const terminals = new Map<string, ResumableTerminal>()
  return {
    add(terminal) {
      const token = randomBytes(32).toString('base64url')
      terminals.set(hash(token), terminal)
      return token
    },
    find: (token) => terminals.get(hash(token)),
    remove: (token) => void terminals.delete(hash(token)),
  }
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
