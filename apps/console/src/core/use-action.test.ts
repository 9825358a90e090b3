import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as notify from '../ui/feedback/notify.tsx'
import { type Action, type ActionSpec, useAction } from './use-action.ts'

vi.mock('../ui/feedback/notify.tsx', () => ({ notifyDone: vi.fn(), notifyFailure: vi.fn() }))
const notifyDone = vi.mocked(notify.notifyDone)
const notifyFailure = vi.mocked(notify.notifyFailure)

let client: QueryClient
beforeEach(() => {
  vi.resetAllMocks()
  client = new QueryClient()
})
afterEach(() => client.clear())

type Spec<Input, Output> = ActionSpec<Input, Output> & { failed: string }

/** The action as a component gets it. */
function actionOf<Input, Output>(spec: Spec<Input, Output>): Action<Input, Output> {
  const actions: Action<Input, Output>[] = []
  function Component() {
    actions.push(useAction(spec))
    return null
  }
  renderToString(createElement(QueryClientProvider, { client }, createElement(Component)))
  const [action] = actions
  if (!action) throw new Error('The component was not rendered.')
  return action
}

/** A call that is answered by hand. */
function manualCall() {
  const calls: { input: string; answer: (text: string) => void; refuse: (error: Error) => void }[] = []
  const call = (input: string) =>
    new Promise<string>((answer, refuse) => {
      calls.push({ input, answer, refuse })
    })
  const next = async (index: number) => {
    await vi.waitFor(() => expect(calls.length).toBeGreaterThan(index))
    const found = calls[index]
    if (!found) throw new Error('There is no such call.')
    return found
  }
  return { calls, call, next }
}

const ROWS = ['rows'] as const
const isStale = () => client.getQueryState(ROWS)?.isInvalidated
const refuse = (): Promise<string> => Promise.reject(new Error('refused'))

describe('useAction', () => {
  it('notifies with undo and refetches after the action and its undo', async () => {
    const undone = vi.fn((_name: string, _answer: string) => Promise.resolve())
    const rename = actionOf({
      call: (name: string) => Promise.resolve(name.toUpperCase()),
      done: (name, answer) => `${name} is ${answer}`,
      failed: 'not renamed',
      undo: undone,
      invalidates: [ROWS],
    })
    client.setQueryData(ROWS, [])
    expect(await rename.run('a')).toBe(true)
    expect(notifyDone).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ title: 'a is A' }))
    expect(isStale()).toBe(true)

    client.setQueryData(ROWS, [])
    await notifyDone.mock.calls[0]?.[0].onUndo?.()
    expect(undone).toHaveBeenCalledExactlyOnceWith('a', 'A')
    expect(isStale()).toBe(true)
  })

  it('shows no notification without a done text and no undo when canUndo is false', async () => {
    const answer = () => Promise.resolve('')
    await actionOf({ call: answer, failed: '' }).run(undefined)
    expect(notifyDone).not.toHaveBeenCalled()
    await actionOf({ call: answer, done: 'removed', failed: '', undo: answer, canUndo: () => false }).run(undefined)
    expect(notifyDone).toHaveBeenCalledExactlyOnceWith({ title: 'removed' })
  })

  it('notifies about a failure with a retry that repeats the call', async () => {
    const call = vi.fn((_name: string) => refuse())
    const remove = actionOf({
      call,
      failed: 'not removed',
      invalidates: [ROWS],
    })
    client.setQueryData(ROWS, [])
    expect(await remove.run('a')).toBe(false)
    expect(notifyFailure.mock.calls[0]?.[0]).toMatchObject({ title: 'not removed', error: new Error('refused') })
    expect(isStale()).toBe(true)
    call.mockResolvedValueOnce('')
    notifyFailure.mock.calls[0]?.[0].onRetry?.()
    await vi.waitFor(() => expect(call.mock.calls).toEqual([['a'], ['a']]))
  })

  it('rejects from send without a notification', async () => {
    await expect(actionOf({ call: refuse, failed: 'not saved' }).send(undefined)).rejects.toThrow('refused')
    expect(notifyFailure).not.toHaveBeenCalled()
  })

  it('sends a pending action once, however often it is started', async () => {
    const { calls, call, next } = manualCall()
    const add = actionOf({ call, failed: 'not added', done: 'added' })
    const both = [add.run('a'), add.run('a')]
    ;(await next(0)).answer('')
    expect(await Promise.all(both)).toEqual([true, true])
    expect(calls).toHaveLength(1)
    expect(notifyDone).toHaveBeenCalledOnce()
    void add.run('a')
    await next(1)
  })

  it('sends every change of a queued switch in order', async () => {
    const { calls, call, next } = manualCall()
    const set = actionOf({ call, failed: '', queue: 'switches' })
    const all = ['on', 'off', 'on'].map((value) => set.run(value))
    for (const index of [0, 1, 2]) (await next(index)).answer('')
    await Promise.all(all)
    expect(calls.map(({ input }) => input)).toEqual(['on', 'off', 'on'])
  })

  it('reverts the optimistic change when the call fails', async () => {
    client.setQueryData(ROWS, ['before'])
    const { call, next } = manualCall()
    const save = actionOf({
      call,
      failed: 'not saved',
      async optimistic(name) {
        const before = client.getQueryData(ROWS)
        client.setQueryData(ROWS, [name])
        return () => client.setQueryData(ROWS, before)
      },
    })
    const outcome = save.run('after')
    const sent = await next(0)
    expect(client.getQueryData(ROWS)).toEqual(['after'])
    sent.refuse(new Error('refused'))
    expect(await outcome).toBe(false)
    expect(client.getQueryData(ROWS)).toEqual(['before'])
  })

  it('runs queued actions in sequence, also after a failure, and refetches after the last', async () => {
    client.setQueryData(ROWS, [])
    const { calls, call, next } = manualCall()
    const shown: string[] = []
    const order = actionOf({
      call,
      failed: 'not moved',
      queue: 'order',
      invalidates: [ROWS],
      async optimistic(name) {
        shown.push(name)
        return undefined
      },
    })
    const both = [order.run('a'), order.run('b')]
    const first = await next(0)
    expect(shown).toEqual(['a', 'b'])
    expect(calls).toHaveLength(1)
    first.refuse(new Error('refused'))
    const second = await next(1)
    expect(isStale()).toBe(false)
    second.answer('')
    expect(await Promise.all(both)).toEqual([false, true])
    expect(isStale()).toBe(true)
  })

  it('removes finished mutations with their input from the cache', async () => {
    vi.useFakeTimers()
    try {
      const change = actionOf({ call: (password: string) => Promise.resolve(password), failed: '' })
      await change.run('secret')
      await vi.advanceTimersByTimeAsync(2_000)
      expect(client.getMutationCache().getAll()).toEqual([])
    } finally {
      vi.useRealTimers()
    }
  })
})
