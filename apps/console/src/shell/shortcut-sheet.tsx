// Lists the keyboard shortcuts, lets people choose other keys, and has the switch that turns single-key shortcuts off.
import { useState } from 'react'
import { Dialog } from '../ui/feedback/dialog.tsx'
import { Button, Group, Kbd, Switch, Text, Title } from '../ui/kit.ts'
import { type KeyedAction, chosenKeys, forgetChosenKeys } from '../core/chosen-keys.ts'
import { useStore } from '../core/context.tsx'
import { appMessages as texts } from '../core/messages.ts'
import { DEVICE_KEYS, SESSION_KEYS, type Shortcut, areSingleKeysOn, switchSingleKeys } from '../core/shortcuts.ts'
import { KeyChoice } from './key-choice.tsx'
import { keyName } from '../ui/text/key-name.ts'
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
  const hasChosen = Object.keys(useStore(chosenKeys)).length > 0
  const ofDevices = keyedActions('device', DEVICE_KEYS, texts.deviceKeys)
  const ofSessions = keyedActions('session', SESSION_KEYS, texts.sessionKeys)
  const all = [...shortcuts, ...ofDevices, ...ofSessions]
  return (
    <>
      <Text size="sm" mb="sm">
        {texts.keysHint}
      </Text>
      <div className={classes['columns']}>
        <ActionList title={texts.anywhere} actions={shortcuts} all={all} />
        <div>
          <KeyList title={texts.inLists} keys={texts.listKeys} />
          <ActionList title={texts.onDevices} actions={ofDevices} all={all} />
          <ActionList title={texts.onSessions} actions={ofSessions} all={all} />
          <KeyList title={texts.inTerminals} keys={texts.terminalKeys} />
        </div>
      </div>
      <Group justify="space-between" align="start" mt="md">
        <Switch
          label={texts.singleKeys}
          description={texts.singleKeysHint}
          checked={on}
          onChange={(event) => {
            switchSingleKeys(event.currentTarget.checked)
            setOn(event.currentTarget.checked)
          }}
        />
        {hasChosen ? (
          <Button variant="default" size="xs" onClick={forgetChosenKeys}>
            {texts.usualKeys}
          </Button>
        ) : null}
      </Group>
    </>
  )
}

/** @param noun what the ids of the actions begin with */
function keyedActions<Act extends string>(
  noun: string,
  keys: Readonly<Record<Act, string>>,
  labels: Readonly<Record<Act, string>>,
): readonly KeyedAction[] {
  const acts = Object.keys(keys) as Act[]
  return acts.map((act) => ({ id: `${noun}.${act}`, usual: [keys[act]], label: labels[act] }))
}

interface ActionListProps {
  readonly title: string
  readonly actions: readonly KeyedAction[]
  /** All whose keys may not be the same. */
  readonly all: readonly KeyedAction[]
}

function ActionList({ title, actions, all }: ActionListProps) {
  return (
    <section aria-label={title}>
      <Title order={3}>{title}</Title>
      <ul className={classes['list']}>
        {actions.map((action) => (
          <li key={action.id} className={classes['item']}>
            <KeyChoice action={action} actions={all} />
          </li>
        ))}
      </ul>
    </section>
  )
}

type Listed = readonly [keys: readonly string[], label: string]

/** Keys that cannot be changed. */
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
