import '../shell/planted.ts'
