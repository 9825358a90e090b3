// A command for the selected devices: what to run, the sign-in for all of them, and the results.
import { TERMINAL } from '@bowline/contract/terminal/messages'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { guardUnload } from '../../platform/unload-guard.ts'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { NativeSelect, Stack, Text, Textarea } from '../../ui/kit.ts'
import { formatCount } from '../../ui/text/numbers.ts'
import { sharedSnippetsQuery } from '../shared-snippets/queries.ts'
import { ConnectForm } from '../terminal/pane/connect-form.tsx'
import type { Access, PaneDevice } from '../terminal/pane/pane-session.ts'
import { choices, openSnippets } from '../terminal/snippets/snippets.ts'
import { executeWith } from './execute.ts'
import { commandsMessages as texts } from './messages.ts'
import { Results } from './results.tsx'
import { type Run, isDone, runOnAll } from './run.ts'
import classes from './commands.module.css'

interface RunCommandProps {
  /** The ones that are online. */
  readonly devices: readonly PaneDevice[]
  /** Selected ones that are left out. */
  readonly offline: number
  readonly onClose: () => void
}

export function RunCommand({ devices, offline, onClose }: RunCommandProps) {
  const runtime = useRuntime()
  const [command, setCommand] = useState('')
  const [fault, setFault] = useState<string>()
  const [begun, setBegun] = useState<{ readonly run: Run; readonly access: Access }>()
  useGuard(begun?.run)
  const [first] = devices
  if (!first) return null

  const start = (access: Access, on: readonly PaneDevice[] = devices) => {
    const wrong = faultOf(command)
    setFault(wrong)
    if (wrong === undefined) setBegun({ run: runOnAll(on, executeWith(runtime, command, access)), access })
  }
  return (
    <Dialog opened onClose={onClose} title={texts.title(devices.length)} size="lg" insists={begun !== undefined}>
      {begun ? (
        <Results
          run={begun.run}
          command={command}
          onAgain={(on) => start(begun.access, on)}
          onAnother={() => setBegun(undefined)}
          onClose={onClose}
        />
      ) : (
        <>
          <Stack gap="md">
            <Text size="sm">{texts.hint}</Text>
            {offline > 0 ? <Text size="sm">{texts.offline(offline)}</Text> : null}
            <Snippet onText={setCommand} />
            <Textarea
              className={classes['field']}
              label={texts.command}
              autosize
              minRows={2}
              maxRows={10}
              spellCheck={false}
              autoCapitalize="none"
              data-autofocus
              value={command}
              error={fault}
              onChange={(event) => setCommand(event.currentTarget.value)}
            />
          </Stack>
          <ConnectForm
            pane={{ id: 'command', device: first, user: () => undefined, access: () => undefined, connect: start }}
            state={{ kind: 'form' }}
            takesFocus={false}
            action={texts.run}
            fills
          />
        </>
      )}
    </Dialog>
  )
}

function Snippet({ onText }: { readonly onText: (text: string) => void }) {
  const { api } = useRuntime()
  const person = usePerson()?.id ?? ''
  const { data: shared = [] } = useQuery(sharedSnippetsQuery(api))
  const [own] = useState(() => openSnippets(person).list.get())
  // Those for devices with a tag too: who runs one chooses the devices.
  const all = choices(
    own,
    shared,
    shared.flatMap(({ tags }) => tags),
  )
  if (all.length === 0) return null
  return (
    <NativeSelect
      label={texts.snippet}
      data={[{ value: '', label: '' }, ...all.map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={(event) => {
        const chosen = all.find(({ id }) => id === event.currentTarget.value)
        if (chosen) onText(chosen.text)
      }}
    />
  )
}

/** Commands end with the dialog, however it goes; a browser asks before it leaves the page. */
function useGuard(run: Run | undefined): void {
  useEffect(() => {
    const release = guardUnload(() => run !== undefined && !isDone(run.progress.get()))
    return () => {
      release()
      run?.stop()
    }
  }, [run])
}

function faultOf(command: string): string | undefined {
  if (command.trim() === '') return texts.commandRequired
  if (command.length <= TERMINAL.commandLength) return undefined
  return texts.commandTooLong(formatCount(TERMINAL.commandLength))
}
