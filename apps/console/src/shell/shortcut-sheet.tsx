// Lists the keyboard shortcuts, with the switch that turns single-key shortcuts off.
import { useState } from 'react'
import { Dialog } from '../ui/feedback/dialog.tsx'
import { Kbd, Switch, Text, Title } from '../ui/kit.ts'
import { appMessages as texts } from '../core/messages.ts'
import { type Shortcut, areSingleKeysOn, switchSingleKeys } from '../core/shortcuts.ts'
import classes from './shortcut-sheet.module.css'

interface ShortcutSheetProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly shortcuts: readonly Shortcut[]
}

export function ShortcutSheet({ opened, onClose, shortcuts }: ShortcutSheetProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.shortcuts} size="lg">
      <Body shortcuts={shortcuts} />
    </Dialog>
  )
}

function Body({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  const [on, setOn] = useState(areSingleKeysOn)
  return (
    <>
      <div className={classes['columns']}>
        <KeyList title={texts.anywhere} keys={shortcuts.map(({ keys, label }) => [keys, label])} />
        <KeyList title={texts.inLists} keys={texts.listKeys} />
        <KeyList title={texts.inTerminals} keys={texts.terminalKeys} />
      </div>
      <Switch
        mt="md"
        label={texts.singleKeys}
        description={texts.singleKeysHint}
        checked={on}
        onChange={(event) => {
          switchSingleKeys(event.currentTarget.checked)
          setOn(event.currentTarget.checked)
        }}
      />
    </>
  )
}

type Listed = readonly [keys: readonly string[], label: string]

function KeyList({ title, keys }: { readonly title: string; readonly keys: readonly Listed[] }) {
  return (
    <section aria-label={title}>
      <Title order={3}>{title}</Title>
      <ul className={classes['list']}>
        {keys.map(([combination, label]) => (
          <li key={label} className={classes['item']}>
            <Text size="sm">{label}</Text>
            <span className={classes['keys']}>
              {combination.map((key) => (
                <Kbd key={key}>{keyName(key)}</Kbd>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Key names as on this machine's keyboard. */
export function keyName(key: string): string {
  if (!key.startsWith('mod+')) return key
  const letter = key.slice('mod+'.length).toUpperCase()
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? `⌘ ${letter}` : `Ctrl ${letter}`
}
