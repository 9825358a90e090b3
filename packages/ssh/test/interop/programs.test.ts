import { testRows } from './row-tests.ts'

testRows('OpenSSH 9.2', 'OpenSSH 10.0', 'dbclient 2025')
