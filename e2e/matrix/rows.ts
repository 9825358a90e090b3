// Every row of the board.
import { thisMachine, trixie } from '@bowline/testkit/place'
import { dropbear } from './clients/dropbear.ts'
import { openssh } from './clients/openssh.ts'
import { putty } from './clients/putty.ts'
import { pythonLibrary } from './clients/python.ts'
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
  ...pythonLibrary('paramiko', 'paramiko_client'),
  ...pythonLibrary('asyncssh', 'asyncssh_client'),
  ...rsync(),
  ...git(),
  ...ansible(),
  ...tmux(),
  ...mosh(),
  ...editor(),
]
