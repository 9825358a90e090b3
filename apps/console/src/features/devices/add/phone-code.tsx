// Leads from this screen to the same dialog on a phone, for somebody who stands before the device. Phones do not show it.
import { Text } from '../../../ui/kit.ts'
import { QrCode } from '../../../ui/text/qr-code.tsx'
import type { AddWay } from '../search.ts'
import { isLoopback } from './loopback.ts'
import { addingMessages as texts } from './messages.ts'
import classes from './add-device.module.css'

export function PhoneCode({ way }: { readonly way: AddWay }) {
  if (isLoopback(location.hostname)) {
    return (
      <Text size="sm" className={classes['phone'] ?? ''}>
        <span>
          {texts.phoneNot(location.host)}{' '}
          <a href="/docs/self-hosted/configuring" target="_blank" rel="noreferrer">
            {texts.phoneAddress}
          </a>
        </span>
      </Text>
    )
  }
  return (
    <div className={classes['phone']}>
      <QrCode text={`${location.origin}/devices?add=${way}`} label={texts.phoneCode} size={88} />
      <Text size="sm">{way === 'code' ? texts.phoneText : texts.phoneAccept}</Text>
    </div>
  )
}
