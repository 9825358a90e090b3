import { testRows } from './row-tests.ts'

testRows('paramiko 3.5', 'asyncssh 2.20', 'ssh2 1.17')
