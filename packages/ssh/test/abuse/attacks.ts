// Attacks of hostile clients on a server, over real sockets. Each ends when its connections have ended, or when the
// server has refused what it must refuse; it throws when the server accepts it.
import type { Attack } from './attack.ts'
import { EARLY_ATTACKS } from './early-attacks.ts'
import { LATE_ATTACKS } from './late-attacks.ts'

export const ATTACKS: readonly Attack[] = [...EARLY_ATTACKS, ...LATE_ATTACKS]
