// The latest rollout: how far it is, why it was halted, and what can be done with it.
import { agentUpdates as operations } from '@bowline/contract/operations/fleet/agent-updates'
import type { AgentUpdates, Rollout } from '@bowline/contract/schemas/fleet/agent-update'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { GatedButton } from '../../ui/feedback/gated.tsx'
import { Text } from '../../ui/kit.ts'
import { Fact, Facts } from '../../ui/page/facts.tsx'
import { serverText } from '../../platform/language/server-text.ts'
import { agentUpdateMessages as texts } from './messages.ts'
import { AGENT_UPDATES } from './queries.ts'

type Action = keyof typeof texts.actions

export function RolloutCard({ updates: { available, blocked, policy, rollout } }: { readonly updates: AgentUpdates }) {
  const { api } = useRuntime()
  const may = useMay('agentUpdate')
  const [isAborting, setAborting] = useState(false)
  const isOpen = rollout !== null && rollout.ended_at === null
  const start = useAction({
    call: () => api.call(operations.start, {}),
    done: () => texts.started,
    failed: () => texts.startFailed,
    invalidates: [AGENT_UPDATES],
  })
  const act = useAction({
    call: (action: Action) => api.call(operations.act, { params: { id: rollout?.id ?? '' }, body: { action } }),
    done: (action) => texts.acted[action],
    failed: () => texts.actFailed,
    invalidates: [AGENT_UPDATES],
  })
  const button = (action: Action, onClick: () => void = () => void act.run(action)) => (
    <GatedButton size="xs" may={may} why={texts.roleTooLow} variant="default" onClick={onClick}>
      {texts.actions[action]}
    </GatedButton>
  )
  const actions = (
    <>
      {!isOpen && available !== null && policy.mode !== 'off' ? (
        <GatedButton
          size="xs"
          may={may && blocked === ''}
          why={may ? texts.blocked(serverText(blocked)) : texts.roleTooLow}
          onClick={() => void start.run(undefined)}
        >
          {texts.start}
        </GatedButton>
      ) : null}
      {isOpen ? button(rollout.state === 'paused' ? 'resume' : 'pause') : null}
      {isOpen ? button('abort', () => setAborting(true)) : null}
    </>
  )
  return (
    <>
      <Facts title={texts.rolloutTitle} actions={actions}>
        {rollout === null ? <Fact name={texts.state}>{texts.noRollout}</Fact> : <RolloutFacts rollout={rollout} />}
        {blocked === '' ? null : <Fact name={texts.waits}>{texts.blocked(serverText(blocked))}</Fact>}
      </Facts>
      <Confirm
        opened={isAborting}
        title={texts.abortTitle}
        action={texts.actions.abort}
        onClose={() => setAborting(false)}
        onConfirm={() => void act.run('abort')}
      >
        <Text size="sm">{texts.abortText}</Text>
      </Confirm>
    </>
  )
}

function RolloutFacts({ rollout }: { readonly rollout: Rollout }) {
  const { release, version, state, stage, reason, devices } = rollout
  return (
    <>
      <Fact name={texts.what}>{texts.release(release, version)}</Fact>
      <Fact name={texts.state}>
        {reason === '' ? texts.states[state] : texts.because(texts.states[state], serverText(reason))}
      </Fact>
      <Fact name={texts.stage}>{texts.stages[stage]}</Fact>
      <Fact name={texts.progress}>{texts.counts(devices.updated, devices.total, devices.failed)}</Fact>
    </>
  )
}
