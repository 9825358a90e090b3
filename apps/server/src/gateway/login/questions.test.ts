import type { Prompt } from '@bowline/ssh/api'
import { describe, expect, it } from 'vitest'
import { PromptCancelled, firstQuestion } from './questions.ts'

/** A person who gives these answers; records the questions. */
function person(...answers: string[]) {
  const asked: { name: string; instruction: string; prompts: readonly Prompt[] }[] = []
  return {
    asked,
    prompt(name: string, instruction: string, prompts: readonly Prompt[]) {
      asked.push({ name, instruction, prompts })
      if (answers.length === 0) return Promise.reject(new Error('gone'))
      return Promise.resolve(prompts.map(() => answers.shift() ?? ''))
    },
  }
}

const round = (text: string, change: { echo?: boolean; instruction?: string; name?: string } = {}) => ({
  name: change.name ?? '',
  instruction: change.instruction ?? '',
  prompts: [{ text, echo: change.echo ?? false }],
})

describe('device questions', () => {
  it('asks for the password first and once', async () => {
    const them = person('secret')
    const someone = await firstQuestion(them)
    expect(await someone.ask(round('(walter) Password for walter@EXAMPLE: '))).toEqual(['secret'])
    expect(them.asked.map(({ prompts }) => prompts)).toEqual([[{ text: 'Password: ', echo: false }]])
  })

  it('keeps the password until the device asks for it, and uses it once', async () => {
    const them = person('secret', '123456', 'again')
    const someone = await firstQuestion(them)
    expect(await someone.ask(round('Verification code: '))).toEqual(['123456'])
    expect(await someone.ask(round('Password: '))).toEqual(['secret'])
    expect(await someone.ask(round('Password: '))).toEqual(['again'])
  })

  it.each([
    ['a new password', round('New password: ')],
    ['a repeated password', round('Retype password: ')],
    ['an echoed answer', round('Password hint: ', { echo: true })],
    ['a password with an instruction', round('Password: ', { instruction: 'It has expired.' })],
    ['nothing', { name: '', instruction: 'Hello', prompts: [] }],
    ['two answers', { ...round('Password: '), prompts: [...round('Password: ').prompts, ...round('Code: ').prompts] }],
  ])('lets the person answer when the device wants %s', async (_, wanted) => {
    const them = person('secret', 'their answer', 'and another')
    const someone = await firstQuestion(them)
    expect(await someone.ask(wanted)).not.toContain('secret')
    expect(them.asked.length).toBe(2)
  })

  it('strips control characters from questions', async () => {
    const them = person('secret', 'x')
    const someone = await firstQuestion(them)
    await someone.ask(round('Code\u001b]0;evil\u0007: ', { name: '\u009bname', instruction: 'a\u001b[2Jb\nc' }))
    const prompts = [{ text: 'Code]0;evil: ', echo: false }]
    expect(them.asked[1]).toEqual({ name: 'name', instruction: 'a[2Jb\nc', prompts })
  })

  it('rejects with PromptCancelled when the person cancels', async () => {
    await expect(firstQuestion(person())).rejects.toThrow(PromptCancelled)
    const someone = await firstQuestion(person('secret'))
    await expect(someone.ask(round('Code: '))).rejects.toThrow(PromptCancelled)
  })
})
