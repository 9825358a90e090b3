import { testRows } from './row-tests.ts'

testRows('PuTTY 0.78', 'PuTTY 0.83')
