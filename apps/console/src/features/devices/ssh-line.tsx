// A device's SSH line with an editable user name and a copy button.
import type { Device } from '@bowline/contract/schemas/device'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { Button } from '../../ui/kit.ts'
import { uiMessages } from '../../ui/messages.ts'
import { infoQuery } from '../instance/queries.ts'
import { devicesMessages as texts } from './messages.ts'
import { parseSshEndpoint, sshLine, sshLineParts } from './add/commands.ts'
import { rememberSshUser, useSshUser } from '../../core/devices/ssh-user.ts'
import classes from './ssh-line.module.css'

export function SshLine({ device }: { readonly device: Pick<Device, 'name' | 'namespace'> }) {
  const { api } = useRuntime()
  const { data: info, isError, refetch } = useQuery(infoQuery(api))
  const user = useSshUser()
  const [editing, setEditing] = useState(false)
  if (!info) {
    if (!isError) return null
    return (
      <span className={classes['line']}>
        <span className={classes['text']}>{texts.sshUnknown}</span>
        <Button size="compact-xs" variant="default" onClick={() => void refetch()}>
          {uiMessages.retry}
        </Button>
      </span>
    )
  }
  const endpoint = parseSshEndpoint(info.endpoints.ssh)
  const target = { namespace: device.namespace, device: device.name }
  const { before, after } = sshLineParts(endpoint, target)
  return (
    <span className={classes['line']}>
      <code className={classes['text']} title={sshLine(endpoint, target, user)}>
        {before}
        {editing ? (
          <UserInput user={user} onDone={() => setEditing(false)} />
        ) : (
          <button
            type="button"
            className={classes['user']}
            aria-label={texts.editUser(user)}
            onClick={() => setEditing(true)}
          >
            {user}
          </button>
        )}
        {after}
      </code>
      <CopyButton text={sshLine(endpoint, target, user)} what={texts.sshCommand} />
    </span>
  )
}

function UserInput({ user, onDone }: { readonly user: string; readonly onDone: () => void }) {
  const [text, setText] = useState(user)
  return (
    <input
      className={classes['input']}
      aria-label={texts.userLabel}
      value={text}
      size={Math.max(4, text.length)}
      maxLength={32}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      ref={(input) => input?.focus()}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => {
        rememberSshUser(text)
        onDone()
      }}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter') event.currentTarget.blur()
        if (event.key === 'Escape') onDone()
      }}
    />
  )
}
