// Every row of the board.
import { thisMachine, trixie } from '@bowline/testkit/place'
import { curl } from './clients/curl.ts'
import { dropbear } from './clients/dropbear.ts'
import { openssh } from './clients/openssh.ts'
import { putty } from './clients/putty.ts'
import { libraries } from './clients/scripted.ts'
import { sessions } from './clients/sessions.ts'
import { ansible, editor, git, mosh, rsync, tmux, x11 } from './clients/tools.ts'
import type { Row } from './row.ts'

export const rows: readonly Row[] = [
  ...openssh('OpenSSH 9.2', thisMachine),
  ...openssh('OpenSSH 10.0', trixie),
  ...sessions(),
  ...x11(),
  ...putty(),
  ...dropbear(),
  ...libraries(),
  ...curl(),
  ...rsync(),
  ...git(),
  ...ansible(),
  ...tmux(),
  ...mosh(),
  ...editor(),
]
