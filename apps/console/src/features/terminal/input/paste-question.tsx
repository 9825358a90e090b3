// Shows a paste before it is sent, and asks what to send of it.
import { useState } from 'react'
import { useStore } from '../../../core/context.tsx'
import { Button, Checkbox, Group, Modal, Stack, Text } from '../../../ui/kit.ts'
import { uiMessages } from '../../../ui/messages.ts'
import { formatCount } from '../../../ui/text/numbers.ts'
import { asOneLine, countLines, preview, withoutControls } from './judge-paste.ts'
import { inputMessages } from './messages.ts'
import type { PasteQuestion as Asked, Pasting } from './pasting.ts'
import classes from './input.module.css'

const texts = inputMessages.paste

/** What goes to several panes is asked about each time. */
const remembers = {
  controls: texts.rememberControls,
  lines: texts.rememberLines,
  long: texts.rememberLong,
  broadcast: undefined,
}

interface PasteQuestionProps {
  readonly pasting: Pasting
  /** Target of the text: a device, or a number of panes. */
  readonly target: string
  readonly isBroadcast: boolean
  readonly onClosed: () => void
}

export function PasteQuestion({ pasting, ...rest }: PasteQuestionProps) {
  const asked = useStore(pasting.question)
  return asked ? <Question asked={asked} pasting={pasting} {...rest} /> : null
}

function Question({ asked, pasting, target, isBroadcast, onClosed }: PasteQuestionProps & { readonly asked: Asked }) {
  const [remember, setRemember] = useState(false)
  const { text, risk } = asked
  const shown = preview(text)
  const lines = countLines(text)
  const titles = {
    controls: texts.controlsTitle(target),
    lines: texts.linesTitle(lines, target),
    long: texts.longTitle(formatCount(text.length), target),
    broadcast: texts.broadcastTitle(target),
  }
  const answer = (act: () => void) => {
    act()
    onClosed()
  }
  const send = (chosen: string) => answer(() => pasting.confirm(chosen, remember))
  const safer = () => (risk === 'controls' ? withoutControls(text) : asOneLine(text))
  return (
    <Modal
      opened
      size="lg"
      onClose={() => answer(() => pasting.cancel())}
      title={titles[risk]}
      closeButtonProps={{ 'aria-label': uiMessages.close }}
    >
      <Stack gap="md">
        <Text size="sm">{texts.explained[risk]}</Text>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
        <pre className={classes['preview']} tabIndex={0} aria-label={texts.preview}>
          {shown.text}
          {shown.isCut ? '…' : ''}
        </pre>
        {shown.isCut ? (
          <Text size="xs" c="dimmed">
            {texts.cut(formatCount(text.length))}
          </Text>
        ) : null}
        {isBroadcast ? null : (
          <Checkbox
            size="sm"
            label={remembers[risk]}
            checked={remember}
            onChange={(event) => setRemember(event.currentTarget.checked)}
          />
        )}
        <Group justify="flex-end" gap="xs">
          {/* What was typed ahead must not confirm. */}
          <Button variant="default" data-autofocus onClick={() => answer(() => pasting.cancel())}>
            {uiMessages.cancel}
          </Button>
          {risk === 'broadcast' || (risk === 'long' && lines === 1) ? null : (
            <Button variant="default" onClick={() => send(safer())}>
              {risk === 'controls' ? texts.withoutControls : texts.asOneLine}
            </Button>
          )}
          <Button onClick={() => send(text)}>{texts.paste}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
