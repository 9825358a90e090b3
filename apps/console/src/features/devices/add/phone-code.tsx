// Leads from this screen to the same dialog on a phone, for somebody who stands before the device.
import { useState } from 'react'
import { Button, Text } from '../../../ui/kit.ts'
import { QrCode } from '../../../ui/text/qr-code.tsx'
import { addingMessages as texts } from './messages.ts'
import classes from './add-device.module.css'

export function PhoneCode() {
  const [isShown, setShown] = useState(false)
  if (!isShown) {
    return (
      <div>
        <Button variant="default" size="xs" onClick={() => setShown(true)}>
          {texts.onPhone}
        </Button>
      </div>
    )
  }
  return (
    <div className={classes['phone']}>
      <QrCode text={`${location.origin}/devices?add=code`} label={texts.phoneCode} size={160} />
      <Text size="sm">{texts.phoneText}</Text>
    </div>
  )
}
