// Filters the device list by online or offline.
import { ChevronDown } from 'lucide-react'
import { Button, Menu } from '../../../ui/kit.ts'
import { PRESENCES, type Presence } from '../../../core/devices/device-filter.ts'
import { devicesMessages as texts } from '../messages.ts'

interface PresenceChoiceProps {
  readonly chosen: Presence | undefined
  readonly onChoose: (presence: Presence | undefined) => void
}

export function PresenceChoice({ chosen, onChoose }: PresenceChoiceProps) {
  const name = chosen === undefined ? texts.anyPresence : texts.presences[chosen]
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          fw={500}
          aria-label={`${texts.presence}: ${name}`}
          rightSection={<ChevronDown size={14} aria-hidden />}
        >
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={chosen ?? ''}>
          <Menu.RadioItem value="" onChange={() => onChoose(undefined)}>
            {texts.anyPresence}
          </Menu.RadioItem>
          {PRESENCES.map((presence) => (
            <Menu.RadioItem key={presence} value={presence} onChange={() => onChoose(presence)}>
              {texts.presences[presence]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}
