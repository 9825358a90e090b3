import { expect, it, vi } from 'vitest'
import { uiMessages } from '../messages.ts'
import { browserName } from './browser-name.ts'

it('says which browser and which system in the words of the console', () => {
  const browserOn = vi.spyOn(uiMessages, 'browserOn').mockReturnValue('Firefox unter Linux')
  expect(browserName('Firefox on Linux')).toBe('Firefox unter Linux')
  expect(browserOn).toHaveBeenCalledWith('Firefox', 'Linux')
})

it('keeps the name of a program', () => {
  expect(browserName('curl/8.5')).toBe('curl/8.5')
})
