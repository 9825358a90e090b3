// Confirms the removal of several devices. More than a screenful is not removed by one click: the number is typed.
import { Confirm } from '../../../ui/feedback/confirm.tsx'
import { TypedConfirm } from '../../../ui/feedback/typed-confirm.tsx'
import { Text } from '../../../ui/kit.ts'
import { formatCount } from '../../../ui/text/numbers.ts'
import { devicesMessages } from '../messages.ts'
import { bulkMessages as texts } from './bulk-messages.ts'

/** Devices that one click removes at most. */
const MOST_BY_CLICK = 25

interface RemoveDevicesProps {
  readonly opened: boolean
  readonly count: number
  /** All that match are removed by the server, which begins at once: there is no undo. */
  readonly all: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export function RemoveDevices({ count, all, ...dialog }: RemoveDevicesProps) {
  const shared = { ...dialog, title: texts.removeTitle(count), action: devicesMessages.remove }
  const text = (
    <>
      <Text size="sm">{texts.removeText(count)}</Text>
      {all ? (
        <Text size="sm" mt="xs">
          {texts.removeAllText}
        </Text>
      ) : null}
    </>
  )
  if (count <= MOST_BY_CLICK) return <Confirm {...shared}>{text}</Confirm>
  return (
    // Thousands are grouped by a comma, a dot or a space, or not at all.
    <TypedConfirm
      {...shared}
      word={formatCount(count)}
      isWord={(typed) => typed.replaceAll(/[.,\s\u202f'’]/g, '') === String(count)}
    >
      {text}
    </TypedConfirm>
  )
}
