// Facts about a device.
import type { Device } from '@bowline/contract/schemas/device'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { Fact, FactColumns, Facts } from '../../../ui/page/facts.tsx'
import { Badge } from '../../../ui/kit.ts'
import { formatPosition } from '../../../ui/list/position.ts'
import { LastSeen } from '../../../core/devices/last-seen.tsx'
import { TimeAgo } from '../../../ui/text/time-ago.tsx'
import { KeyFingerprint, useKeyFingerprint } from '../key-fingerprint.tsx'
import { devicesMessages as texts } from '../messages.ts'
import { agentlessMessages } from '../agentless/messages.ts'
import classes from './device-page.module.css'

export function DeviceFacts({ device }: { readonly device: Device }) {
  const fingerprint = useKeyFingerprint(device.public_key)
  const where = formatPosition(device.position)
  const { facts, statuses } = texts
  return (
    <FactColumns>
      <Facts title={texts.identitySection}>
        <Fact name={facts.status}>{statuses[device.status]}</Fact>
        <Fact name={facts.changed}>
          <TimeAgo time={device.status_updated_at} />
        </Fact>
        <Fact name={facts.uid}>
          <code>{device.uid}</code>
          <CopyButton text={device.uid} what={texts.uid} />
        </Fact>
        <Fact name={facts.key}>
          <KeyFingerprint publicKey={device.public_key} />
          {fingerprint ? <CopyButton text={fingerprint} what={texts.fingerprint} /> : null}
        </Fact>
        {device.host_key ? (
          <Fact name={agentlessMessages.fact}>
            <code>{device.host_key.fingerprint}</code>
            <CopyButton text={device.host_key.fingerprint} what={agentlessMessages.what} />
          </Fact>
        ) : null}
        {device.identity ? (
          <Fact name={facts.mac}>
            <code>{device.identity.mac}</code>
          </Fact>
        ) : null}
        {device.tags.length ? (
          <Fact name={facts.tags}>
            {device.tags.map((tag) => (
              <Badge key={tag} variant="default" tt="none" fw={500}>
                {tag}
              </Badge>
            ))}
          </Fact>
        ) : null}
      </Facts>
      <Facts title={texts.systemSection}>
        {device.info ? (
          <>
            <Fact name={facts.system}>{device.info.pretty_name}</Fact>
            <Fact name={facts.arch}>{device.info.arch}</Fact>
            <Fact name={facts.platform}>{device.info.platform}</Fact>
            <Fact name={facts.agent}>{device.info.version}</Fact>
          </>
        ) : null}
        <Fact name={facts.address}>
          <code>{device.remote_addr}</code>
        </Fact>
        {where === undefined ? null : (
          <Fact name={facts.position}>{device.placed === true ? texts.placed(where) : where}</Fact>
        )}
        <Fact name={facts.lastSeen}>
          <LastSeen device={device} />
        </Fact>
        <Fact name={facts.registered}>
          <TimeAgo time={device.created_at} />
        </Fact>
      </Facts>
      {device.note === '' && Object.keys(device.fields).length === 0 ? null : (
        <Facts title={texts.notesSection}>
          {device.note === '' ? null : (
            <Fact name={texts.facts.note}>
              <span className={classes['note']}>{device.note}</span>
            </Fact>
          )}
          {Object.entries(device.fields).map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </Facts>
      )}
    </FactColumns>
  )
}
