import { expect, it } from 'vitest'
import { withShellAndHome } from './own-view.ts'

const passwd = 'root:x:0:0:root:/root:/bin/bash\nrooty:x:5:5::/home/rooty:/bin/zsh\nsshd:x:1:1::/run/sshd:/bin/false\n'

it('changes only home and shell of one user', () => {
  expect(withShellAndHome(passwd, 'root', '/tmp/x')).toBe(
    'root:x:0:0:root:/tmp/x:/bin/sh\nrooty:x:5:5::/home/rooty:/bin/zsh\nsshd:x:1:1::/run/sshd:/bin/false\n',
  )
})

it('throws when there is no such user', () => {
  expect(() => withShellAndHome(passwd, 'nobody', '/tmp/x')).toThrow('no user nobody')
})
