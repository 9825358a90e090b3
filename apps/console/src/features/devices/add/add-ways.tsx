// The ways to add a device as tabs: what to run, and what happens then.
import { INSTALL_KEY } from '@bowline/contract/schemas/fleet/install-key'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { TabPanel } from '../../../ui/controls/tab-panel.tsx'
import { Stack, Text, TextInput } from '../../../ui/kit.ts'
import type { AddWay } from '../search.ts'
import { EnrolCommand } from './enrol-command.tsx'
import { addingMessages as texts } from './messages.ts'
import { PairDevice } from './pair-device.tsx'
import { PhoneCode } from './phone-code.tsx'
import { PlatformCommands } from './command-list.tsx'
import classes from './add-device.module.css'

/** How install keys begin, in every language. */
const KEY_PLACEHOLDER = `ik-…`

interface AddWaysProps {
  readonly way: AddWay
  readonly onWay: (way: AddWay) => void
  /** Called with the uid of a device that was added by its code. */
  readonly onPaired?: (uid: string) => void
  /** The first copy button takes the focus. */
  readonly focusFirst?: boolean
}

export function AddWays({ way, onWay, onPaired = () => {}, focusFirst = false }: AddWaysProps) {
  // In memory only: whoever has the key can register devices.
  const [typed, setTyped] = useState('')
  const key = INSTALL_KEY.test(typed.trim()) ? typed.trim() : ''
  return (
    <TabPanel label={texts.label} tabs={texts.ways} current={way} onChange={onWay} panelClassName={classes['way']}>
      <Stack gap="md">
        {way === 'code' ? <PairDevice onPaired={onPaired} /> : null}
        {way === 'agentless' ? <EnrolCommand installKey={key} /> : null}
        {way === 'code' || way === 'agentless' ? null : (
          <PlatformCommands key={way} way={way} installKey={key} focusFirst={focusFirst} />
        )}
        <PhoneCode way={way} />
        {way === 'code' ? null : (
          <div>
            <TextInput
              label={texts.key}
              description={texts.keyHint}
              placeholder={KEY_PLACEHOLDER}
              value={typed}
              error={typed.trim() !== '' && key === '' ? texts.keyWrong : undefined}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <Text size="sm" mt={4}>
              <Link to="/install-keys">{texts.toInstallKeys}</Link>
            </Text>
          </div>
        )}
        <section aria-label={texts.nextTitle}>
          <Text size="sm" fw={550}>
            {texts.nextTitle}
          </Text>
          <ol className={classes['next']}>
            {(key === '' ? texts.next[way] : texts.nextWithKey[way]).map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </section>
      </Stack>
    </TabPanel>
  )
}
