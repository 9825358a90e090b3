// Note about more devices than the plan allows, with the way to the choice.
import type { BillingStanding } from '@bowline/contract/schemas/billing'
import { useState } from 'react'
import { useMay } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { Button } from '../../ui/kit.ts'
import { formatCount } from '../../ui/text/numbers.ts'
import { DeviceChooser } from './device-chooser.tsx'
import { billingMessages as texts } from './messages.ts'
import { isOverLimit } from './plan.ts'

export function OverLimit({ standing }: { readonly standing: BillingStanding }) {
  const may = useMay('billingChooseDevices')
  const [isOpen, setOpen] = useState(false)
  const { devices, limit } = standing
  return (
    <>
      {isOverLimit(standing) ? (
        <Callout tone="warn" title={texts.overLimit(formatCount(devices), formatCount(limit))}>
          {may ? (
            <Button size="compact-sm" mt="xs" onClick={() => setOpen(true)}>
              {texts.choose}
            </Button>
          ) : (
            texts.overLimitOwner
          )}
        </Callout>
      ) : null}
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={texts.chooseTitle} size="lg">
        <DeviceChooser devices={devices} limit={limit} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
