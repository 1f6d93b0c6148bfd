DATA = {"from": "beside"}
