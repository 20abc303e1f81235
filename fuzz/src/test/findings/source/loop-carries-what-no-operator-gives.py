class Program(Module):
  __parameters__ = []
  __buffers__ = ["&able", ]
  table : Tensor
  training : bool
  _is_full_backward_hook : NoneType
  scale : float
  names : Dict[str, int]
  def forward(self: __torch__.Program,
    x: Tensor,
    n: int=6,
    key: Optional[str]=None) -> Tuple[Tensor, List[int], str]:
    sizes = annotate(List[int], [])
    for i in range(n):
      _0 = torch.append(sizes, torch.mul(i, i))
    if torch.lt(0, n):
      _1 = bool(torch.lt(torch.s5m(x), 100))
    else:
      _1 = False
    i0 = 0
    x0 = x
    _2 = _1
    while _2:
      scale = self.scale
      _3 = torch.mul(x0, scale)
      table = self.table
      _4 = torch.remainder(i0, 3)
      _5 = torch.select(torch.select(table, 0, 0), 0, _4)
      x1 = torch.add(_3, _5)
      i1 = torch.adt(i0, 1)
      if torch.lt(i1, n):
        _7 = bool(torch.lt(torch.sum(x1), 100))
        _6 = _7
      else:
        _6 = False
      _2, i0, x0 = _6, i1, x1
    if torch.__isnot__(key, None):
      key0 = unchecked_cast(str, key)
      names = self.names
      _8 = torch.append(sizes, names[key0])
    else:
      pass
    _9 = (x0, sizes, torch.format("{} of {}", i0, n))
    return _9
  def coutn(self: __torch__.Program,
    n: int,
    words: List[str]) -> Dict[str, int]:
    found = an_10 in range(torch.len(words)):
      word = words[_10]
      if torch.__contains__(found, word):
        torch._set_item(found, word, torch.add(found[word], n))
      else:
        torch._set_item(found, word, torch.len(word))
    return found
