// Updates of agents, brought to the devices of a namespace in stages.
import * as z from 'zod'
import { operation } from '../../operation.ts'
import { AgentUpdates, Rollout, UpdatePolicy } from '../../schemas/fleet/agent-update.ts'

export const agentUpdates = {
  get: operation({
    method: 'GET',
    path: '/api/agent-updates',
    noun: 'agent-updates',
    summary: 'Releases that the agents of the namespace run, and the rollout of the newest',
    access: { kind: 'member', keys: true },
    response: AgentUpdates,
  }),
  setPolicy: operation({
    method: 'PUT',
    path: '/api/agent-updates/policy',
    noun: 'agent-updates',
    summary: 'Set when and in which order agents are updated',
    access: { kind: 'member', permission: 'agentUpdate', keys: true },
    body: UpdatePolicy,
    errors: ['FRESH_PROOF_REQUIRED'],
  }),
  start: operation({
    method: 'POST',
    path: '/api/agent-updates/rollouts',
    noun: 'agent-updates',
    summary: 'Roll out the release that the server has',
    access: { kind: 'member', permission: 'agentUpdate', keys: true },
    response: Rollout,
    errors: ['AGENT_UPDATES_UNAVAILABLE', 'ROLLOUT_REFUSED', 'FRESH_PROOF_REQUIRED'],
  }),
  act: operation({
    method: 'PATCH',
    path: '/api/agent-updates/rollouts/{id}',
    noun: 'agent-updates',
    summary: 'Pause, resume or abort a rollout',
    access: { kind: 'member', permission: 'agentUpdate', keys: true },
    params: z.object({ id: z.uuid() }),
    body: z.object({ action: z.enum(['pause', 'resume', 'abort']) }),
    errors: ['NOT_FOUND', 'ROLLOUT_REFUSED'],
  }),
}
