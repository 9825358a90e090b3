import '../../server/src/planted.ts'
